// The memory the command takes to look back at a text of a megabyte with 5,000 versions: the peak of its process.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import { openSqliteStore } from '@loom/stores/sqlite';
import { machineClock as clock } from './measure.ts';

const versions = 5_000;
const length = 1024 * 1024;
/** The most memory, in megabytes. */
const limit = 300;

const loom = join(import.meta.dirname, '..', 'packages/loom/src/main.ts');
/** Says at the end how much memory there was at most, in kilobytes, where no command says anything. */
const tellPeak =
  'data:text/javascript,process.on("exit",()=>{process.stderr.write("\\npeak "+process.resourceUsage().maxRSS)})';

/** Prints the peak of each command that looks back. */
export async function measureHistory(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-text-'));
  try {
    await fill(directory);
    console.log(`  a text of 1 MB with ${versions.toLocaleString('en')} versions; peak memory of the process:`);
    const newest = `${versions + 1}`;
    for (const command of [
      ['history', 'node-1'],
      ['read', 'node-1', '--at', `${versions / 2}`],
      ['undo', 'node-1'],
      ['edit-lines', 'node-1', '--replace', '7', '--with', 'another line'],
      ['edit-lines', 'node-1', '--replace', '9', '--with', 'and one more', '--base-version', newest],
    ]) {
      printPeak(command, [...command, '--data-dir', directory]);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function fill(directory: string): Promise<void> {
  const store = await openSqliteStore({ directory });
  let last = Date.now() * 1000;
  const ids = { next: (): string => String((last += 1)).padStart(26, '0') };
  const forest = new Forest({ store, clock, ids });
  const tools = new BlockTools({ forest, ids });
  const request = () => ({ agent: 'person', id: ids.next() });
  const content = Array.from({ length: length / 64 }, (_, line) => `${line} `.padEnd(63, 'as it was ')).join('\n');
  const created = await tools.create(request(), { role: 'user', kind: 'text', content });
  if ('refusal' in created) throw new Error(JSON.stringify(created.refusal));
  const { block_id } = created;
  for (let version = 2; version <= versions; version += 1) {
    const offset = (version * 7919 * 64) % (content.length - 64);
    const insert = `changed by version ${version} `.padEnd(40, '.');
    const answer = await tools.splice(request(), { block_id, offset, delete_count: 40, insert });
    if ('refusal' in answer) throw new Error(JSON.stringify(answer.refusal));
  }
  await store.close();
}

function printPeak([name = '', ...args]: readonly string[], command: readonly string[]): void {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', tellPeak, loom, ...command], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (status !== 0) throw new Error(`loom ${name} failed: ${stderr}`);
  const peak = Math.round(Number(/\npeak (\d+)$/u.exec(stderr)?.[1]) / 1024);
  const verdict = peak <= limit ? 'within' : 'ABOVE';
  const what = [name, ...args.filter((arg) => arg.startsWith('--'))].join(' ');
  console.log(`    loom ${what}: ${peak} MB (${verdict} the limit of ${limit} MB), ${seconds} s`);
}
