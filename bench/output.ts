// The time until long output is durable: 100 MB that a tool prints, through a turn into a data folder's stores, beside `cat` into a file
// that is synced. Also the memory that takes, and how much of it the log has to hold.
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoomEngine } from '@loom/kernel';
import type { Provider, Tool } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { openFileSystemStore } from '@loom/stores/files';
import { openSqliteStore } from '@loom/stores/sqlite';
import { createHash } from 'node:crypto';
import { machineClock, median, printHeader, printRatio } from './measure.ts';

const megabyte = 1024 * 1024;
const total = 100 * megabyte;
const rounds = 3;
/** One read from a pipe. */
const piece = `${'compiling module of 64 bytes, as builds print them by the thousand'.slice(0, 63)}\n`.repeat(1024);

printHeader('output');
const folder = mkdtempSync(join(tmpdir(), 'loom-output-'));
try {
  const source = join(folder, 'source');
  writeFileSync(source, piece.repeat(total / piece.length));
  for (const [name, open] of [
    ['files', openFileSystemStore],
    ['SQLite', openSqliteStore],
  ] as const) {
    const times: { ours: number; cat: number; grown: number; log: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const directory = mkdtempSync(join(folder, 'store-'));
      const cat = timeCat(source, join(directory, 'copy'));
      times.push({ cat, ...(await timeTurn(await open({ directory }))) });
      rmSync(directory, { recursive: true });
    }
    const of = (key: 'ours' | 'cat' | 'grown' | 'log'): number => median(times.map((time) => time[key]));
    printRatio(`${name}, 100 MB through the tool port ÷ cat and fsync`, of('ours'), of('cat'), 3);
    printSize('resident growth', of('grown') / megabyte, 'MB', 64);
    printSize('log', of('log') / 1024, 'KB', 400);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function timeCat(source: string, target: string): number {
  const begun = performance.now();
  const file = openSync(target, 'w');
  spawnSync('cat', [source], { stdio: ['ignore', file, 'inherit'] });
  fsyncSync(file);
  closeSync(file);
  return performance.now() - begun;
}

async function timeTurn(store: Store): Promise<{ ours: number; grown: number; log: number }> {
  let [ours, grown] = [0, 0];
  const tool: Tool = {
    name: 'print',
    description: 'prints',
    parameters: { type: 'object' },
    prepare: async () => ({ permission: 'run' }),
    async run(_invocation, _context, out) {
      await out.start('c', { type: 'command', command: 'print' });
      const before = process.memoryUsage.rss();
      let most = before;
      const begun = performance.now();
      for (let printed = 0; printed < total; printed += piece.length) {
        await out.append('c', 'stdout', piece);
        if (printed % (4 * megabyte) === 0) most = Math.max(most, process.memoryUsage.rss());
      }
      await out.end('c', { type: 'command', command: 'print', exit_code: 0 });
      ours = performance.now() - begun;
      grown = Math.max(most, process.memoryUsage.rss()) - before;
      return { content: [{ type: 'text', text: 'printed' }] };
    },
  };
  let last = 0;
  const engine = new LoomEngine({
    store,
    clock: machineClock,
    ids: { next: () => String((last += 1)).padStart(8, '0') },
    hash: { hex: (text) => createHash('sha256').update(text).digest('hex') },
    holder: 'bench',
    providers: [printer()],
    tools: [tool],
  });
  const created = await engine.forest.createRoot({ agent: 'ann', id: 'root' }, {});
  if (!created.ok) throw new Error(created.refusal.reason);
  const { root } = created.value;
  const said = await engine.forest.append({ agent: 'ann', id: 'said' }, root, {
    parent: root,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  });
  if (!said.ok) throw new Error(said.refusal.reason);
  const turn = { node: said.value.nodes[0] ?? '', provider: 'printer', model: 'one', tools: ['print'] };
  const started = await engine.turns.generate({ agent: 'ann', id: 'go' }, root, turn);
  if (!started.ok) throw new Error(started.refusal.reason);
  const ended = await engine.turns.wait(started.value.turns[0] ?? '');
  if (ended !== 'done') throw new Error(`the turn ended with ${ended}`);
  const { records } = (await store.read(root, 0)) ?? { records: [] };
  const log = records.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0);
  await engine.close();
  await store.close();
  return { ours, grown, log };
}

/** Calls the tool once. */
function printer(): Provider {
  let calls = 0;
  return {
    id: 'printer',
    async *stream() {
      calls += 1;
      yield { type: 'call-start' };
      if (calls === 1) {
        const block = { type: 'tool-use' as const, id: 'c', name: 'print', parameters: {} };
        yield { type: 'block', message: 'm', role: 'assistant', block };
        yield { type: 'call-end', reason: 'tool-use' };
        return;
      }
      yield { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'done' } };
      yield { type: 'call-end', reason: 'stop' };
    },
  };
}

function printSize(what: string, size: number, unit: string, limit: number): void {
  console.log(
    `  ${what}: ${size.toFixed(1)} ${unit} (${size <= limit ? 'within' : 'ABOVE'} the limit of ${limit} ${unit})`,
  );
}
