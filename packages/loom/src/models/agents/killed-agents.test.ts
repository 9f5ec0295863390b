import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TextBlock } from '@loom/blocks';
import { rounds, sampleOfRun, tellTried } from '@loom/blocks/testing';
import type { Outcome } from '@loom/kernel';
import { Random, rest, temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { openLoom } from '../../open-loom.ts';
import type { Loom } from '../../open-loom.ts';
import { ownEnvironment } from '../../testing/loom-process.ts';

const doomedLoom = fileURLToPath(import.meta.resolve('./testing/doomed-agents.ts'));

interface KilledAgent {
  readonly name: string;
  readonly provider: 'claude' | 'codex';
  readonly command: readonly string[];
  /** The folder of its sessions, below the home folder. */
  readonly sessions: string;
  /** Words in Loom by which it is known that its question has come, or, of an agent that cannot ask, its call. */
  readonly asking: string;
  /** The number of lines that its sessions grow by until all three turns are in their middle. */
  readonly lines: number;
}

const claude = fileURLToPath(import.meta.resolve('./testing/scripted-claude.ts'));
const codex = fileURLToPath(import.meta.resolve('./testing/scripted-codex.ts'));
const codexPlace = { provider: 'codex', sessions: '.codex/sessions' } as const;
const agents: readonly KilledAgent[] = [
  {
    name: 'Claude Code',
    provider: 'claude',
    command: [process.execPath, claude],
    sessions: '.claude/projects',
    asking: '"kind":"ask"',
    lines: 9,
  },
  { name: 'Codex', command: [process.execPath, codex], asking: '"kind":"ask"', lines: 16, ...codexPlace },
  {
    name: 'Codex without app-server',
    command: [process.execPath, codex, 'old'],
    asking: 'sleep 9',
    lines: 16,
    ...codexPlace,
  },
];

/** Starts a Loom that is to be killed while an agent works in three conversations. */
function startDoomed(t: TestContext, { provider, command, asking, sessions }: KilledAgent) {
  const [dataDir, home, work] = [temporaryDirectory(t), temporaryDirectory(t), temporaryDirectory(t)];
  writeFileSync(join(dataDir, 'config.toml'), `[agents.${provider}]\ncommand = ${JSON.stringify(command)}\n`);
  const doomed = spawn(process.execPath, [doomedLoom, dataDir, work, provider, asking], {
    env: ownEnvironment(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { doomed, dataDir, home, folder: join(home, sessions) };
}

for (const agent of agents) {
  test(`[CI20] Loom is killed in the middle of turns, calls and resumed turns of ${agent.name}; importing its sessions adds nothing`, async (t) => {
    const { doomed, dataDir, folder } = startDoomed(t, agent);
    const said: unknown[] = await Promise.race([once(doomed.stdout, 'data'), once(doomed, 'exit')]);
    assert.match(String(said[0]), /there/);
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    assert.equal(sessionsBelow(folder).length, 3);
    await using loom = await openLoom({ dataDir });
    const { files, roots_added, nodes_added } = await importAll(loom, folder);
    assert.deepEqual({ files, roots_added, nodes_added }, { files: 3, roots_added: 0, nodes_added: 0 });
  });
}

/** Kills at a moment that is not chosen. The deep run makes more. */
const kills = Number(process.env['LOOM_AGENT_KILLS'] ?? 2);

for (const [index, agent] of agents.entries()) {
  test(`[CI20] ${agent.name}, Loom killed at any moment, ${kills} times: Loom and an import together have every message of the sessions once`, async (t) => {
    const random = new Random(sampleOfRun());
    let tried = 0;
    for (const kill of rounds((done) => done >= kills, 1 / (agents.length - index))) {
      const { doomed, dataDir, folder } = startDoomed(t, agent);
      const wanted = random.below(agent.lines);
      const said: unknown[] = [];
      doomed.stdout.on('data', (words) => said.push(words));
      while (said.length === 0 && linesBelow(folder).length < wanted) await rest();
      doomed.kill('SIGKILL');
      if (doomed.exitCode === null && doomed.signalCode === null) await once(doomed, 'exit');
      const written = linesBelow(folder).flatMap(textsIn);
      await using loom = await openLoom({ dataDir });
      mkdirSync(folder, { recursive: true });
      await importAll(loom, folder);
      const { items } = await valueOf(loom.call('root.list', {}));
      const heard: TextBlock[] = [];
      for (const { id } of items)
        for (const { blocks, role } of (await valueOf(loom.open(id))).nodes.values())
          heard.push(...blocks.flatMap((block) => (block.type === 'text' && role !== 'tool' ? [block] : [])));
      const texts = heard.map(({ text }) => text);
      for (const text of new Set([...written, ...texts])) {
        const told = heard.filter((block) => block.text === text).map(({ status }) => status);
        assert.deepEqual(
          [text, told],
          [text, ['done']],
          `${wanted} lines: ${written.join(' | ')} / ${texts.join(' | ')}`,
        );
      }
      tried = kill;
    }
    tellTried(t, tried, `kills of Loom beside ${agent.name}`);
  });
}

const content = z.array(z.looseObject({ text: z.string().exactOptional() }));
const sessionLine = z.looseObject({
  message: z.looseObject({ content }).exactOptional(),
  payload: z.looseObject({ content: content.exactOptional() }).exactOptional(),
});

/** The texts of a line of a session. */
function textsIn(line: string): string[] {
  const { message, payload } = sessionLine.parse(JSON.parse(line));
  return [...(message?.content ?? []), ...(payload?.content ?? [])].flatMap(({ text }) =>
    text === undefined ? [] : [text],
  );
}

const counts = z.looseObject({ files: z.int(), roots_added: z.int(), nodes_added: z.int() });

async function importAll(loom: Loom, folder: string): Promise<z.infer<typeof counts>> {
  const { job } = await valueOf(loom.call('import.start', { paths: [folder] }));
  const { jobs } = loom.engine;
  while (jobs.get(job)?.facts.state === 'running') await rest();
  return counts.parse(jobs.get(job)?.result);
}

/** The paths of all sessions below a folder. */
function sessionsBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
}

/** The whole lines of all sessions below a folder. */
function linesBelow(folder: string): string[] {
  return sessionsBelow(folder).flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(0, -1));
}

async function valueOf<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const answer = await outcome;
  return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.refusal));
}
