import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent } from '@loom/kernel';
import { inspectEvents } from './event-rules.ts';

const start: ProviderEvent = { type: 'call-start' };
const stop: ProviderEvent = { type: 'call-end', reason: 'stop' };
const place = { message: 'm', role: 'assistant' } as const;
const open = (key: string): ProviderEvent => ({
  type: 'block-start',
  key,
  ...place,
  block: { type: 'text', text: '' },
});
const delta = (key: string, text: string): ProviderEvent => ({ type: 'block-delta', key, field: 'text', text });
const end = (key: string): ProviderEvent => ({ type: 'block-end', key });
const text = (words: string): ProviderEvent => ({ type: 'block', ...place, block: { type: 'text', text: words } });
const call = { type: 'tool-use', id: 'c', name: 'weather', parameters: {} } as const;
const openCall: ProviderEvent = { type: 'block-start', key: 'k', ...place, block: call };
const spell = (spelled: string): ProviderEvent => ({
  type: 'block-delta',
  key: 'k',
  field: 'arguments',
  text: spelled,
});
const calls: ProviderEvent = { type: 'call-end', reason: 'tool-use' };
const result: ProviderEvent = {
  type: 'block',
  message: 'r',
  role: 'tool',
  tool_call_id: 'c',
  block: { type: 'text', text: 'sunny' },
};

/** The rules that a stream breaks. */
function broken(events: readonly ProviderEvent[], runsTools = false): string[] {
  return [...new Set(inspectEvents(events, runsTools).violations.map(({ rule }) => rule))];
}

test('[PV1] [PV3] a good call, and one that breaks off, pass', () => {
  const good = [start, open('k'), delta('k', 'wo'), delta('k', 'ol'), end('k'), text('!'), stop];
  assert.deepEqual(inspectEvents(good, false), {
    violations: [],
    blocks: [
      { type: 'text', text: 'wool' },
      { type: 'text', text: '!' },
    ],
  });
  assert.deepEqual(broken([start, open('k'), { type: 'call-error', error: { code: 'network', message: 'lost' } }]), []);
});

test('[PV1] a missing, late or second beginning and end are found', () => {
  for (const events of [[], [stop], [start], [start, start, stop], [start, stop, stop], [start, stop, text('x')]]) {
    assert.deepEqual(broken(events), ['PV1']);
  }
});

test('[PV2] [PV3] keys opened twice, never or not ended are found', () => {
  assert.deepEqual(broken([start, open('k'), end('k'), open('k'), end('k'), stop]), ['PV2']);
  assert.deepEqual(broken([start, delta('k', 'x'), stop]), ['PV2']);
  assert.deepEqual(broken([start, open('k'), end('k'), delta('k', 'x'), stop]), ['PV2']);
  assert.deepEqual(broken([start, end('k'), stop]), ['PV2']);
  assert.deepEqual(broken([start, open('k'), stop]), ['PV3']);
});

test('[PV4] [PV8] blocks outside their schema and half characters are found', () => {
  assert.deepEqual(broken([start, text('\0'), stop]), ['PV4']);
  assert.deepEqual(broken([start, text('\uD83E'), stop]), ['PV4']);
  const blank: ProviderEvent = { type: 'block', ...place, block: { ...call, id: ' ' } };
  assert.deepEqual(broken([start, blank, calls]), ['PV4']);
  assert.deepEqual(broken([start, open('k'), delta('k', '\uD83E'), delta('k', '\uDDF5'), end('k'), stop]), ['PV8']);
});

test('[PV5] [PV6] deltas that are empty or of another field, and ends that differ, are found', () => {
  assert.deepEqual(broken([start, open('k'), delta('k', ''), end('k'), stop]), ['PV5']);
  assert.deepEqual(broken([start, open('k'), spell('x'), end('k'), stop]).includes('PV5'), true);
  const other: ProviderEvent = { type: 'block-end', key: 'k', block: { type: 'text', text: 'y' } };
  assert.deepEqual(broken([start, open('k'), delta('k', 'x'), other, stop]), ['PV6']);
  const thought: ProviderEvent = { type: 'block-end', key: 'k', block: { type: 'thinking', text: '' } };
  assert.deepEqual(broken([start, open('k'), thought, stop]), ['PV6']);
  const renamed: ProviderEvent = { type: 'block-end', key: 'k', block: { ...call, name: 'x' } };
  assert.deepEqual(broken([start, openCall, spell('{}'), renamed, calls]), ['PV6']);
});

test('[PV7] calls that are there twice, incomplete or spelled otherwise are found', () => {
  const whole: ProviderEvent = { type: 'block', ...place, block: call };
  const close = (block: object): ProviderEvent => ({ type: 'block-end', key: 'k', block: { ...call, ...block } });
  assert.deepEqual(broken([start, openCall, spell('{}'), close({}), calls]), []);
  assert.deepEqual(broken([start, openCall, spell('{"a'), close({ arguments: '{"a' }), calls]), []);
  assert.deepEqual(broken([start, whole, whole, calls]), ['PV7']);
  assert.deepEqual(broken([start, openCall, close({}), calls]), ['PV7']);
  assert.deepEqual(broken([start, openCall, spell('{"a":1'), close({ parameters: { a: 1 } }), calls]), ['PV7']);
  assert.deepEqual(broken([start, openCall, spell('{}'), close({ arguments: '{}' }), calls]), ['PV7']);
  assert.deepEqual(broken([start, openCall, spell('{"a": 1}'), close({ arguments: '{"a": 1}' }), calls]), ['PV7']);
});

test('[PV9] results from the wrong provider, without a call or in a message of the model are found', () => {
  const whole: ProviderEvent = { type: 'block', ...place, block: call };
  assert.deepEqual(broken([start, whole, result, stop], true), []);
  assert.deepEqual(broken([start, whole, result, calls]), ['PV9']);
  assert.deepEqual(broken([start, result, stop], true), ['PV9']);
  assert.deepEqual(broken([start, whole, { ...result, message: 'm' }, stop], true), ['PV9']);
});

test('[PV9] more of a message behind which the model has begun another is found', () => {
  const text: ProviderEvent = { type: 'block', ...place, block: { type: 'text', text: 'a' } };
  const next: ProviderEvent = { ...text, message: 'next' };
  assert.deepEqual(broken([start, text, text, next, next, stop]), []);
  assert.deepEqual(broken([start, text, next, text, stop]), ['PV9']);
  assert.deepEqual(broken([start, text, next, text, stop], true), ['PV9']);
});

test('[PV9] only a provider that runs its tools takes back what is behind another message, and adds to a result there', () => {
  const whole: ProviderEvent = { type: 'block', ...place, block: { ...call, executed: 'provider' } };
  const open: ProviderEvent = { type: 'block-start', key: 'x', ...place, block: { type: 'text', text: 'a' } };
  const next: ProviderEvent = { type: 'block', ...place, message: 'next', block: { type: 'text', text: 'b' } };
  const taken: ProviderEvent[] = [
    start,
    open,
    { type: 'block-end', key: 'x' },
    next,
    { type: 'retract', key: 'x' },
    stop,
  ];
  const late: ProviderEvent[] = [start, whole, result, next, result, stop];
  for (const events of [taken, late]) {
    assert.deepEqual(broken(events, true), []);
    assert.deepEqual(broken(events), ['PV9']);
  }
});

test('[PV10] [PV11] reasons without their calls, and usage that shrinks or is impossible, are found', () => {
  const whole: ProviderEvent = { type: 'block', ...place, block: call };
  const usage = (tokens: number): ProviderEvent => ({
    type: 'usage',
    usage: { input_tokens: 1, output_tokens: tokens },
  });
  assert.deepEqual(broken([start, calls]), ['PV10']);
  assert.deepEqual(broken([start, whole, stop]), ['PV10']);
  assert.deepEqual(broken([start, usage(1), stop]), []);
  assert.deepEqual(broken([start, usage(1), usage(2), stop]), []);
  assert.deepEqual(broken([start, usage(2), usage(1), stop]), ['PV11']);
  assert.deepEqual(broken([start, usage(-1), stop]), ['PV11']);
});

test('[PV17] words of a child that was not named, or of a call that Loom runs, are found', () => {
  const own: ProviderEvent = { type: 'block', ...place, block: { ...call, executed: 'provider' } };
  const child: ProviderEvent = { type: 'child', child: 'a', call: 'c' };
  const words: ProviderEvent = { type: 'block', ...place, block: { type: 'text', text: 'x' }, child: 'a' };
  assert.deepEqual(broken([start, own, child, words, result, stop]), []);
  assert.deepEqual(broken([start, own, words, stop]), ['PV17']);
  assert.deepEqual(broken([start, own, child, child, stop]), ['PV17']);
  assert.deepEqual(broken([start, { type: 'block', ...place, block: call }, child, calls]), ['PV17']);
});
