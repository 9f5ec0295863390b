import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { openLoom } from '../../open-loom.ts';
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
  const begun = await loom.call('import.start', { paths: [folder] });
  assert.ok(begun.ok);
  const { jobs } = loom.engine;
  while (jobs.get(begun.value.job)?.facts.state === 'running') await new Promise((resolve) => setImmediate(resolve));
  const counts = z.looseObject({ files: z.int(), roots_added: z.int(), nodes_added: z.int() });
  const { files, roots_added, nodes_added } = counts.parse(jobs.get(begun.value.job)?.result);
  assert.deepEqual({ files, roots_added, nodes_added }, { files: 3, roots_added: 0, nodes_added: 0 });
});
