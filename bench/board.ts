// The board in a folder with many conversations, 12 turns of which are live: CPU of board.list for all of them beside a pass over the list
// (root.list), and for the one conversation that a client asks for when the list says that it has changed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outcome } from '@loom/kernel';
import { openLoom } from '@loom/loom';
import { median, printHeader, printRatio } from './measure.ts';

/** The number of conversations: node bench/board.ts 500 */
const conversations = Number(process.argv[2] ?? 1_500);
const live = 12;

function value<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(JSON.stringify(outcome.refusal));
}

printHeader('board');
const dataDir = mkdtempSync(join(tmpdir(), 'loom-bench-board-'));
const loom = await openLoom({ dataDir });
try {
  for (let made = 0; made < conversations; made += 1) await begin(`message ${made}`);
  for (let made = 0; made < live; made += 1) {
    const node = await begin('call run_command {"command":"ls"}');
    value(await loom.call('turn.start', { node, provider: 'demo', model: 'demo', tools: ['run_command'] }));
  }
  const waiting = async (): Promise<number> => value(await loom.call('turn.waiting', {})).items.length;
  while ((await waiting()) < live) await new Promise((resolve) => setTimeout(resolve, 20));
  const { items } = value(await loom.call('board.list', {}));
  const roots = items.slice(0, 1).map(({ root }) => root);
  const pass = await cpuOf(() => loom.call('root.list', { limit: 10_000 }));
  printRatio(
    'board.list over all conversations ÷ root.list',
    await cpuOf(() => loom.call('board.list', {})),
    pass,
    1.5,
  );
  printRatio(
    'board.list of one conversation ÷ root.list',
    await cpuOf(() => loom.call('board.list', { roots })),
    pass,
    0.1,
  );
} finally {
  await loom.close();
  rmSync(dataDir, { recursive: true });
}

async function begin(content: string): Promise<string> {
  const { root } = value(await loom.call('root.create', {}));
  const said = await loom.call('node.append', { parent: root, messages: [{ role: 'user', content }] });
  return value(said).nodes[0] ?? '';
}

/** The CPU time of a call, in milliseconds. */
async function cpuOf(call: () => Promise<Outcome<unknown>>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 9; run += 1) {
    const before = process.cpuUsage();
    value(await call());
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return median(times);
}
