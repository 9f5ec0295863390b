import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningOutput } from './running-output.ts';

const ended = { type: 'command', block_id: 'b', command: 'make', stdout: '' } as const;

function watch(): { running: RunningOutput; lines: string[] } {
  const lines: string[] = [];
  const running = new RunningOutput((shown) => lines.push(...shown.map(({ text }) => text)));
  running.begin({ type: 'command', block_id: 'b', command: 'make', stdout: 'one\ntw' });
  return { running, lines };
}

test('[CH39] lines of a command are shown when they are complete, the last one at its end', () => {
  const { running, lines } = watch();
  assert.deepEqual(lines, ['    $ make', '    one']);
  assert.ok(running.grow('b', 'stdout', 'o\nthr'));
  assert.ok(running.grow('b', 'stderr', 'bad\n'));
  assert.deepEqual(lines.splice(0), ['    $ make', '    one', '    two', '    bad']);
  running.end(ended);
  assert.deepEqual(lines, ['    thr']);
  assert.deepEqual([...running.shown], ['b']);
  assert.ok(!running.grow('other', 'stdout', 'x'));
});

test('[CH39] of a long output as much is shown as of a card, and how much is left', () => {
  const { running, lines } = watch();
  running.grow('b', 'stdout', '\n'.repeat(100));
  assert.equal(lines.length, 25);
  running.end(ended);
  assert.match(lines.at(-1) ?? '', /^ {4}… 77 more lines: loom show$/u);
});

test('[CH86] of output that outgrew the conversation the chat shows how it began, how much there is, and how it ends', () => {
  const { running, lines } = watch();
  running.grow('b', 'stdout', `o\n${'line\n'.repeat(100)}half a li`);
  lines.length = 0;
  const blob = `sha256:${'0'.repeat(64)}`;
  running.end({ ...ended, stdout: { blob, bytes: 1_234_567, preview: 'one\ntwo\n', tail: '7\n8\n9\n10\n' } });
  assert.match(lines[0] ?? '', /^ {4}… 1\.2 MB in all: loom read sha256:0+$/u);
  assert.deepEqual(lines.slice(1), ['    8', '    9', '    10']);
});
