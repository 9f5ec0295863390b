import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { InterruptedError, LoomError, UsageError } from './failure.ts';
import { printFailure } from './print-failure.ts';
import { maskSecret } from '@loom/blocks';
import { blotLines, redact } from '../secrets.ts';
import { styleFor } from '../terminal/style.ts';
import { fakeTerminal, type Surroundings } from '../testing/fake-terminal.ts';

const KEY = 'key-of-mine-"quoted"-0123456789';

function print(error: unknown, isJson = false, surroundings: Surroundings = {}): { out: string; note: string } {
  const { terminal, written } = fakeTerminal(surroundings);
  printFailure(error, terminal, isJson);
  return written;
}

test('[LM11] failures map to exit codes: 1 failed, 2 usage, 70 defect, 130 interrupted', () => {
  assert.equal(exitCodeOf(new LoomError('x', 'x')), 1);
  assert.equal(exitCodeOf(new UsageError('x', 'x')), 2);
  assert.equal(exitCodeOf(new InterruptedError()), 130);
  assert.equal(exitCodeOf(new Error('bug')), 70);
  assert.equal(exitCodeOf('thrown text'), 70);
  assert.equal(EXIT.ok, 0);
});

test('[LM13] a failure is "loom: message" and a line of advice on stderr', () => {
  const { out, note } = print(new LoomError('full', 'the disk is full', { advice: 'Free some space.' }));
  assert.equal(out, '');
  assert.equal(note, 'loom: the disk is full\nFree some space.\n');
  assert.equal(print(new LoomError('x', 'no advice')).note, 'loom: no advice\n');
});

test('[LM10] with --json a failure is one JSON document on stdout with code, message, advice and details', () => {
  const error = new LoomError('bad-toml', 'line\ntwo', { advice: 'Fix it.', details: { line: 2 } });
  const { out, note } = print(error, true);
  assert.equal(note, '');
  assert.deepEqual(JSON.parse(out), {
    ok: false,
    error: { code: 'bad-toml', message: 'line\ntwo', advice: 'Fix it.', line: 2 },
  });
  assert.equal(out.split('\n').length, 2);
});

test('[LM14] an unexpected error is short and asks for a report; LOOM_DEBUG=1 adds the stack and its causes', () => {
  const error = new Error('first line\nsecond line', { cause: new Error('the deeper reason') });
  const plain = print(error).note;
  assert.equal(plain.split('\n')[0], 'loom: unexpected error: first line');
  assert.match(plain, /LOOM_DEBUG=1/);
  assert.doesNotMatch(plain, /print-failure\.test/);
  const debug = print(error, false, { env: { LOOM_DEBUG: '1' } }).note;
  assert.match(debug, /print-failure\.test\.ts/);
  assert.match(debug, /Caused by: Error: the deeper reason/);
  assert.doesNotMatch(print(error, false, { env: { LOOM_DEBUG: '0' } }).note, /print-failure\.test/);
  assert.match(print({ odd: true }).note, /unexpected error/);
  const json: unknown = JSON.parse(print(error, true).out);
  assert.match(JSON.stringify(json), /"code":"internal"/);
});

test('[LM15] keys from the environment and of well-known shapes are masked in messages, advice, details and stacks', () => {
  const shaped = 'sk-ant-api03-abcdefghijklmnop';
  const error = new LoomError('x', `request with ${KEY} failed`, {
    advice: `Check ${shaped}`,
    details: { header: `Bearer ${KEY}` },
    cause: new Error(`deep ${KEY} ${shaped}`),
  });
  for (const isJson of [false, true]) {
    const { out, note } = print(error, isJson, { env: { OPENROUTER_API_KEY: KEY, LOOM_DEBUG: '1' } });
    for (const secret of [KEY, shaped, JSON.stringify(KEY).slice(1, -1)]) {
      assert.ok(!`${out}${note}`.includes(secret), `${out}${note}`);
    }
    assert.match(out + note, /key…6789/);
    assert.match(note, /Caused by: Error: deep key…6789/);
  }
});

test('[CF49] a mask shows the ends of long secrets and nothing of short ones', () => {
  assert.equal(maskSecret('sk-proj-1234567890abcd'), 'sk-…abcd');
  assert.equal(maskSecret('123456789012345'), '…');
  assert.equal(maskSecret(''), '…');
  assert.equal(redact('a secret-one and secret-one-longer', ['secret-one', 'secret-one-longer']), 'a … and sec…nger');
  assert.equal(redact('nothing here', ['', 'no']), 'nothing here');
});

test('[LM15] masking a long text takes no longer than reading it', () => {
  for (const part of ['?', 'a.', 'a://b:', '&key', 'x:', ' ', '\n[']) {
    const text = part.repeat(200_000);
    // No clock: more than linear work on a text of this length would not end in an hour.
    assert.equal(typeof redact(text, []), 'string');
    assert.ok(Array.isArray(blotLines([text])));
  }
});

test('[LM16] colours appear on a screen only, and not with NO_COLOR or a dumb terminal', () => {
  const paint = (surroundings: Surroundings): string => styleFor(fakeTerminal(surroundings).terminal, 'note').bad('x');
  assert.equal(paint({}), 'x');
  assert.equal(paint({ isScreen: true }), '\u001B[31mx\u001B[39m');
  assert.equal(paint({ isScreen: true, env: { NO_COLOR: '' } }), '\u001B[31mx\u001B[39m');
  assert.equal(paint({ isScreen: true, env: { NO_COLOR: '1' } }), 'x');
  assert.equal(paint({ isScreen: true, env: { TERM: 'dumb' } }), 'x');
  const { terminal } = fakeTerminal();
  const onlyResults = { ...terminal, screen: { isOut: true, isNote: false } };
  assert.equal(styleFor(onlyResults, 'note').bad('x'), 'x');
  assert.equal(styleFor(onlyResults, 'out').bad('x'), '\u001B[31mx\u001B[39m');
});
