// The time that `./loom --help` takes, beside an empty program on the same Node in the same run; and `./loom tree` on a small data
// directory, which runs the build, beside the same command from the sources.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, printHeader, printRatio } from './measure.ts';

const root = join(import.meta.dirname, '..');
const runs = 20;
const limit = 150;

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-'));
const data = ['--data-dir', directory];
const sources = join(root, 'packages/loom/src/main.ts');
const loom = (...args: string[]): number => time(join(root, 'loom'), args);
// The program that `./loom` runs where nothing can be built.
const fromSources = (...args: string[]): number =>
  time(process.execPath, [sources, ...args], { NODE_COMPILE_CACHE: join(root, '.cache/compiled') });
const bareNode = (): number => time(process.execPath, ['--eval', '']);

// The first runs install and build if need be, and fill the caches of compiled code.
loom('chat', '--model', 'demo:echo', '--prompt', 'hello', ...data);
for (const run of [loom, fromSources]) run('tree', ...data);
loom('--help');
printHeader('startup');
const times = Array.from({ length: runs }, () => ({
  loom: loom('--help'),
  bareNode: bareNode(),
  tree: loom('tree', ...data),
  treeFromSources: fromSources('tree', ...data),
}));
rmSync(directory, { recursive: true });
report(
  './loom --help',
  times.map((row) => row.loom),
);
report(
  'node --eval ""',
  times.map((row) => row.bareNode),
);
printRatio(
  './loom tree, beside the sources',
  median(times.map((row) => row.tree)),
  median(times.map((row) => row.treeFromSources)),
);

function time(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const start = performance.now();
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  return took;
}

function report(name: string, milliseconds: readonly number[]): void {
  const middle = median(milliseconds);
  const parts = [
    `median ${middle.toFixed(0)} ms`,
    `min ${Math.min(...milliseconds).toFixed(0)}`,
    `max ${Math.max(...milliseconds).toFixed(0)}`,
  ];
  console.log(`  ${name.padEnd(16)} ${parts.join(', ')}; ${(middle / limit).toFixed(2)} of the limit of ${limit} ms`);
}
