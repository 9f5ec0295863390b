import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { clampMaxTokens, estimateInputTokens, usualOutput } from '../index.ts';
import type { Message } from '../index.ts';
import { anyMessage, anyText } from '../testing/arbitraries.ts';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const caps = { contextWindow: 1000, maxOutput: 400 };

test('[TK1] without a tokenizer a character costs 0.3 tokens, rounded up once at the end', () => {
  assert.equal(estimateInputTokens([user('x'.repeat(10))], undefined), 3);
  assert.equal(estimateInputTokens([user('x')], undefined), 1);
  assert.equal(estimateInputTokens([user('x'), user('x'), user('x')], undefined), 1);
  assert.equal(estimateInputTokens([], undefined), 0);
});

test('[TK2] the system prompt is part of the estimate', () => {
  assert.equal(estimateInputTokens([user('x'.repeat(10))], 'y'.repeat(20)), 9);
  fc.assert(
    fc.property(fc.array(anyMessage), anyText, (messages, prompt) => {
      const without = estimateInputTokens(messages, undefined);
      return estimateInputTokens(messages, prompt) >= without && estimateInputTokens(messages, '') === without;
    }),
  );
});

test('[TK3] a tokenizer is used where there is one, and reported usage corrects the estimate', () => {
  const tokenizer = { count: (text: string) => text.split(' ').length };
  assert.equal(estimateInputTokens([user('one two three')], 'four five', { tokenizer }), 5);
  assert.equal(estimateInputTokens([user('one two three')], undefined, { tokenizer, correction: 1.5 }), 5);
  for (const correction of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(estimateInputTokens([user('one two three')], undefined, { tokenizer, correction }), 3);
  }
});

test('[TK4] what a model is not shown costs nothing; calls, results and images do', () => {
  const hidden: Message = {
    role: 'assistant',
    content: [
      { type: 'sources', sources: [{ id: '1', url: 'u', title: 't' }] },
      { type: 'text', text: 'x', ephemeral: true },
    ],
  };
  assert.equal(estimateInputTokens([hidden], undefined), 0);
  const call: Message = {
    role: 'assistant',
    content: [{ type: 'tool-use', id: '1', name: 'abcde', parameters: {}, arguments: '12345' }],
  };
  assert.equal(estimateInputTokens([call], undefined), 3);
  const image: Message = {
    role: 'user',
    content: [{ type: 'image', media_type: 'image/png', url: 'https://example.org' }],
  };
  assert.equal(estimateInputTokens([image], undefined), 1000);
});

test('[TK5] the request is limited by the cap of the model and by what the window has left', () => {
  assert.deepEqual(clampMaxTokens(100, caps, 0), { ok: true, maxTokens: 100, clamped: false });
  assert.deepEqual(clampMaxTokens(500, caps, 0), { ok: true, maxTokens: 400, clamped: true });
  assert.deepEqual(clampMaxTokens(300, caps, 800), { ok: true, maxTokens: 200, clamped: true });
  assert.deepEqual(clampMaxTokens(undefined, caps, 0), { ok: true, maxTokens: 400, clamped: false });
});

test('[TK6] at the exact boundary nothing is clamped, and one token beyond it one is', () => {
  assert.deepEqual(clampMaxTokens(400, caps, 600), { ok: true, maxTokens: 400, clamped: false });
  assert.deepEqual(clampMaxTokens(400, caps, 601), { ok: true, maxTokens: 399, clamped: true });
  assert.deepEqual(clampMaxTokens(1, caps, 999), { ok: true, maxTokens: 1, clamped: false });
});

test('[TK7] fractions are rounded down', () => {
  assert.deepEqual(clampMaxTokens(100.9, caps, 0), { ok: true, maxTokens: 100, clamped: false });
  assert.deepEqual(clampMaxTokens(300, caps, 800.5), { ok: true, maxTokens: 199, clamped: true });
});

test('[TK8] with no room left one token is asked for, or the request is refused if the caller wants that', () => {
  for (const estimated of [1000, 1001, 5000]) {
    assert.deepEqual(clampMaxTokens(100, caps, estimated), { ok: true, maxTokens: 1, clamped: true });
    assert.deepEqual(clampMaxTokens(100, caps, estimated, { onNoRoom: 'fail' }), {
      ok: false,
      refusal: { reason: 'no-room', contextWindow: 1000, estimatedInput: estimated },
    });
  }
  assert.ok(clampMaxTokens(100, caps, 999, { onNoRoom: 'fail' }).ok);
});

test('[TK9] what is not known of a model limits nothing; without any limit 8,192 tokens are asked for', () => {
  assert.equal(usualOutput, 8192);
  assert.deepEqual(clampMaxTokens(100_000, undefined, 50_000), { ok: true, maxTokens: 100_000, clamped: false });
  assert.deepEqual(clampMaxTokens(undefined, undefined, 50_000), { ok: true, maxTokens: 8192, clamped: false });
  const window = { contextWindow: 10_000 };
  assert.deepEqual(clampMaxTokens(undefined, window, 4000), { ok: true, maxTokens: 6000, clamped: false });
  assert.deepEqual(clampMaxTokens(9000, window, 4000), { ok: true, maxTokens: 6000, clamped: true });
  const output = { maxOutput: 4096 };
  assert.deepEqual(clampMaxTokens(undefined, output, 1e9), { ok: true, maxTokens: 4096, clamped: false });
  assert.deepEqual(clampMaxTokens(9000, output, 0), { ok: true, maxTokens: 4096, clamped: true });
});

test('[TK10] the result is a whole number of at least 1 within every limit, whatever is asked', () => {
  const anyNumber = fc.oneof(fc.double({ noNaN: true }), fc.integer());
  fc.assert(
    fc.property(
      fc.option(anyNumber, { nil: undefined }),
      fc.nat(),
      fc.nat(),
      fc.nat(),
      (requested, window, output, used) => {
        const result = clampMaxTokens(requested, { contextWindow: window, maxOutput: output }, used);
        assert.ok(result.ok);
        assert.ok(Number.isSafeInteger(result.maxTokens) && result.maxTokens >= 1);
        assert.ok(result.maxTokens === 1 || result.maxTokens <= Math.min(output, window - used, requested ?? output));
      },
    ),
  );
  assert.deepEqual(clampMaxTokens(Number.NaN, caps, 0), {
    ok: false,
    refusal: { reason: 'invalid-params', message: 'requested must be a number' },
  });
  // A catalogue may say that it knows no limit; the request must have one.
  const unlimited = { contextWindow: Infinity, maxOutput: Infinity };
  assert.deepEqual(clampMaxTokens(undefined, unlimited, 0), {
    ok: false,
    refusal: { reason: 'invalid-params', message: 'one of requested, maxOutput and contextWindow must be finite' },
  });
  assert.deepEqual(clampMaxTokens(50, unlimited, 0), { ok: true, maxTokens: 50, clamped: false });
});
