import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningOutput } from './running-output.ts';

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
  running.end('b');
  assert.deepEqual(lines, ['    thr']);
  assert.deepEqual([...running.shown], ['b']);
  assert.ok(!running.grow('other', 'stdout', 'x'));
});

test('[CH39] of a long output as much is shown as of a card, and how much is left', () => {
  const { running, lines } = watch();
  running.grow('b', 'stdout', '\n'.repeat(100));
  assert.equal(lines.length, 25);
  running.end('b');
  assert.match(lines.at(-1) ?? '', /^ {4}… 77 more lines: loom show$/u);
});
