// The cost of running commands through turns: 100 MB that a command prints beside reading the same from a pipe, 1,000 short commands beside
// the same commands under the same guard and in the same sandbox without Loom, and the time from an approval to the first byte.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Provider, ProcessPort, ProviderEvent, Tool } from '@loom/kernel';
import { openLoom } from '@loom/loom';
import type { Loom } from '@loom/loom';
import { z } from 'zod';
import { median, printHeader, printRatio } from './measure.ts';

const megabyte = 1024 * 1024;
const line = 'compiling module of 64 bytes, as builds print them by the thousand'.slice(0, 63);

/** The commands of each round, as the person's message lists them. */
const calls = z.array(z.array(z.string()));

/** A model that makes the calls that the person's message lists, one round after the other. */
const caller: Provider = {
  id: 'caller',
  async *stream({ messages }): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    const [said] = messages[asked]?.content ?? [];
    const rounds = calls.parse(said?.type === 'text' ? JSON.parse(said.text) : []);
    const done = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
    const now = rounds[done] ?? [];
    for (const [index, command] of now.entries()) {
      const block = { type: 'tool-use' as const, id: `c${done}-${index}`, name: 'shell', parameters: { command } };
      yield { type: 'block', message: 'm', role: 'assistant', block };
    }
    if (now.length === 0)
      yield { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'Done.' } };
    yield { type: 'call-end', reason: now.length === 0 ? 'stop' : 'tool-use' };
  },
};

printHeader('tools');
// Not in /tmp, which is private in a sandbox.
const folder = realpathSync(mkdtempSync(join(homedir(), 'loom-bench-')));
/** The folder of the conversations: commands that change it are watched. */
const work = join(folder, 'work');
try {
  mkdirSync(work);
  // Written by another process: starting programs takes longer, the more memory this one has touched.
  execFileSync('bash', ['-c', `yes '${line}' | head -c ${100 * megabyte} > source`], { cwd: folder });
  const data = join(folder, 'data');
  // Nobody is there to approve.
  const loom = await openTools(data, '[[permissions]]\ntool = "shell"\neffect = "allow"\n');
  const plain = await openPlain(loom);
  console.log(plain.box.length > 0 ? `  in ${plain.box[0] ?? ''}` : '  without a sandbox');
  const [printed, piped] = [[0], [0]];
  for (let round = 0; round < 3; round += 1) {
    piped[round] = await time(() => runPlain(plain, 'cat ../source'));
    printed[round] = await time(() => runTurn(loom, [['cat ../source']]));
  }
  printRatio('100 MB printed ÷ reading them from a pipe', median(printed), median(piped), 3);
  const [ours, theirs] = [[0], [0]];
  const rounds = Array.from({ length: 10 }, () => Array.from({ length: 10 }, () => 'echo done'));
  for (let round = 0; round < 3; round += 1) {
    theirs[round] = await time(async () => {
      for (let batch = 0; batch < 100; batch += 1) {
        await Promise.all(Array.from({ length: 10 }, () => runPlain(plain, 'echo done')));
      }
    });
    ours[round] = await time(async () => {
      for (let turn = 0; turn < 10; turn += 1) await runTurn(loom, rounds);
    });
  }
  printRatio('1,000 short commands, ten at once ÷ the same without Loom', median(ours), median(theirs), 1.5);
  await loom.close();
  const asking = await openTools(join(folder, 'asking'), '');
  const waits: number[] = [];
  for (let round = 0; round < 60; round += 1) waits.push(await timeApproval(asking));
  const sorted = waits.slice(10).sort((one, other) => one - other);
  console.log(`  approval to first byte: p50 ${at(sorted, 0.5)} ms, p95 ${at(sorted, 0.95)} ms`);
  await asking.close();
  await plain.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function openTools(dataDir: string, config: string): Promise<Loom> {
  execFileSync('mkdir', ['-p', dataDir]);
  writeFileSync(join(dataDir, 'config.toml'), config);
  return openLoom({ dataDir, providers: [caller] });
}

async function begin(loom: Loom, rounds: readonly (readonly string[])[]): Promise<{ root: string; turn: string }> {
  const { root } = orThrow(await loom.call('root.create', { config: { directory: work } }));
  const messages = [{ role: 'user' as const, content: JSON.stringify(rounds) }];
  const { nodes } = orThrow(await loom.call('node.append', { parent: root, messages }));
  const order = { node: nodes[0] ?? '', provider: 'caller', model: 'm', tools: ['shell'] };
  return { root, turn: orThrow(await loom.call('turn.start', order)).turns[0] ?? '' };
}

async function runTurn(loom: Loom, rounds: readonly (readonly string[])[]): Promise<{ root: string }> {
  const { root, turn } = await begin(loom, rounds);
  const { ended } = orThrow(await loom.call('turn.wait', { root, turn }));
  if (ended !== 'done') throw new Error(`the turn ended as ${ended}`);
  return { root };
}

async function timeApproval(loom: Loom): Promise<number> {
  const { root, turn } = await begin(loom, [['echo first']]);
  const feed = orThrow(await loom.feed(root));
  const heard = (async () => {
    for await (const item of feed) {
      if (item.type === 'change' && item.events.some(({ type }) => type === 'text-appended')) return performance.now();
    }
    return Number.NaN;
  })();
  for (;;) {
    const waiting = orThrow(await loom.call('turn.waiting', {})).items.find((call) => call.root === root);
    if (waiting === undefined) {
      await new Promise(setImmediate);
      continue;
    }
    const begun = performance.now();
    const { node, arguments: exact } = waiting;
    orThrow(await loom.call('turn.decide', { node, decision: 'approved', arguments: exact }));
    const took = (await heard) - begun;
    await loom.call('turn.wait', { root, turn });
    return took;
  }
}

/** The guard of Loom, and the sandbox that its commands run in, to be used without turns. */
interface Plain {
  processes: Pick<ProcessPort, 'spawn'>;
  /** The program and arguments before a command. */
  box: readonly string[];
  close: () => Promise<void>;
}

/** Gets the guard from the context of a tool, and the sandbox from the first process in one. */
async function openPlain(loom: Loom): Promise<Plain> {
  let processes: Plain['processes'] | undefined;
  const capture: Tool = {
    name: 'shell',
    description: 'keeps its context',
    parameters: { type: 'object' },
    prepare: async () => ({ permission: 'run' }),
    async run(_invocation, context) {
      processes = context.processes;
      return { content: [] };
    },
  };
  const other = await openLoom({ dataDir: join(folder, 'plain'), providers: [caller], tools: [capture] });
  await runTurn(other, [['']]);
  if (processes === undefined) throw new Error('this Loom runs no programs');
  const { root } = await runTurn(loom, [['cat /proc/1/cmdline > first']]);
  const words = root === '' ? [] : readFileSync(join(work, 'first'), 'utf8').split('\0');
  const end = words.indexOf('--');
  return {
    processes,
    box: words[0]?.split('/').at(-1) === 'bwrap' ? words.slice(0, end + 1) : [],
    close: () => other.close(),
  };
}

/** The same command under the same guard, in the same sandbox. */
async function runPlain({ processes, box }: Plain, line: string): Promise<void> {
  const command = [...box, 'bash', '-c', line];
  const environment = { PATH: process.env['PATH'] ?? '' };
  // The signal takes the place of that of the turn, which is over.
  const { signal } = new AbortController();
  const spawned = await processes.spawn({ command, directory: work, environment, signal });
  if (!spawned.ok) throw new Error(spawned.refusal.message);
  for await (const { bytes } of spawned.process.output) if (bytes.length < 0) throw new Error('no length is negative');
  await spawned.process.ended;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
}

function orThrow<T>(outcome: { ok: true; value: T } | { ok: false; refusal: { reason: string } }): T {
  if (outcome.ok) return outcome.value;
  throw new Error(JSON.stringify(outcome.refusal));
}
