import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sampleOfRun } from '@loom/blocks/testing';
import type { Outcome } from '@loom/kernel';
import { Random, rest, temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { openLoom } from '../../open-loom.ts';
import type { Loom } from '../../open-loom.ts';
import { ownEnvironment } from '../../testing/loom-process.ts';

const agent = fileURLToPath(import.meta.resolve('./testing/scripted-claude.ts'));
const doomedLoom = fileURLToPath(import.meta.resolve('./testing/doomed-agents.ts'));

test('[CI20] Loom is killed in the middle of turns, questions and resumed turns of an agent; importing its sessions adds nothing', async (t) => {
  const [dataDir, home, work] = [temporaryDirectory(t), temporaryDirectory(t), temporaryDirectory(t)];
  const command = [process.execPath, agent];
  writeFileSync(join(dataDir, 'config.toml'), `[agents.claude]\ncommand = ${JSON.stringify(command)}\n`);
  const doomed = spawn(process.execPath, [doomedLoom, dataDir, work], {
    env: ownEnvironment(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: unknown[] = await Promise.race([once(doomed.stdout, 'data'), once(doomed, 'exit')]);
  assert.match(String(said[0]), /there/);
  doomed.kill('SIGKILL');
  await once(doomed, 'exit');
  const folder = join(home, '.claude', 'projects', readdirSync(join(home, '.claude', 'projects'))[0] ?? '');
  assert.equal(readdirSync(folder).length, 3);
  await using loom = await openLoom({ dataDir });
  const { files, roots_added, nodes_added } = await importAll(loom, folder);
  assert.deepEqual({ files, roots_added, nodes_added }, { files: 3, roots_added: 0, nodes_added: 0 });
});

/** Kills at a moment that is not chosen. The deep run makes more. */
const kills = Number(process.env['LOOM_AGENT_KILLS'] ?? 2);

test(`[CI20] killed at any moment, ${kills} times, Loom and an import together have every message of the sessions once`, async (t) => {
  const random = new Random(sampleOfRun());
  for (let kill = 0; kill < kills; kill += 1) {
    const [dataDir, home, work] = [temporaryDirectory(t), temporaryDirectory(t), temporaryDirectory(t)];
    const command = [process.execPath, agent];
    writeFileSync(join(dataDir, 'config.toml'), `[agents.claude]\ncommand = ${JSON.stringify(command)}\n`);
    const doomed = spawn(process.execPath, [doomedLoom, dataDir, work], {
      env: ownEnvironment(home),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // Sessions grow by some nine lines until all three turns are in their middle: Loom is killed once a number of them is there.
    const wanted = random.below(9);
    if (wanted > 0)
      for await (const _change of watch(home, { recursive: true }))
        if (linesBelow(join(home, '.claude')).length >= wanted) break;
    doomed.kill('SIGKILL');
    if (doomed.exitCode === null && doomed.signalCode === null) await once(doomed, 'exit');
    const written = linesBelow(join(home, '.claude')).flatMap((line) => {
      const { message } = z
        .looseObject({
          message: z.looseObject({ content: z.array(z.looseObject({ text: z.string().exactOptional() })) }),
        })
        .parse(JSON.parse(line));
      return message.content.flatMap(({ text }) => (text === undefined ? [] : [text]));
    });
    await using loom = await openLoom({ dataDir });
    mkdirSync(join(home, '.claude'), { recursive: true });
    await importAll(loom, join(home, '.claude'));
    const { items } = await valueOf(loom.call('root.list', {}));
    const said: string[] = [];
    for (const { id } of items)
      for (const { blocks } of (await valueOf(loom.open(id))).nodes.values())
        said.push(
          ...blocks.flatMap((block) => (block.type === 'text' && block.status !== 'error' ? [block.text] : [])),
        );
    for (const text of new Set([...written, ...said]))
      assert.deepEqual(
        [text, said.filter((each) => each === text).length],
        [text, 1],
        `${wanted} lines: ${written.join(' | ')} / ${said.join(' | ')}`,
      );
  }
});

const counts = z.looseObject({ files: z.int(), roots_added: z.int(), nodes_added: z.int() });

async function importAll(loom: Loom, folder: string): Promise<z.infer<typeof counts>> {
  const { job } = await valueOf(loom.call('import.start', { paths: [folder] }));
  const { jobs } = loom.engine;
  while (jobs.get(job)?.facts.state === 'running') await rest();
  return counts.parse(jobs.get(job)?.result);
}

/** The whole lines of all sessions below a folder. */
function linesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return names.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
}

async function valueOf<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const answer = await outcome;
  return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.refusal));
}
