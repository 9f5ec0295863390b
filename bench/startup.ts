// How long `./loom --help` takes, beside an empty program on the same Node in the same run.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median, printHeader } from './measure.ts';

const root = join(import.meta.dirname, '..');
const runs = 20;
const limit = 150;

const loom = (): number => time(join(root, 'loom'), ['--help']);
const bareNode = (): number => time(process.execPath, ['--eval', '']);

// The first run installs if need be and fills the cache of compiled code.
loom();
printHeader('startup');
const times = Array.from({ length: runs }, () => ({ loom: loom(), bareNode: bareNode() }));
report(
  './loom --help',
  times.map((pair) => pair.loom),
);
report(
  'node --eval ""',
  times.map((pair) => pair.bareNode),
);

function time(command: string, args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
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
