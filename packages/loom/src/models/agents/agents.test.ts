import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createProcessPort } from '../../processes/process-port.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { chooseAgent, createAgents } from './agents.ts';
import { createModels } from '../models.ts';

test('[CI17] an agent is named alone or with one of its models, and other names are not taken for one', async (t) => {
  assert.deepEqual(chooseAgent('claude'), { provider: 'claude', model: 'default', name: 'claude' });
  assert.deepEqual(chooseAgent('claude/opus'), { provider: 'claude', model: 'opus', name: 'claude/opus' });
  assert.equal(chooseAgent('claude-sonnet-5'), undefined);
  const models = createModels({ dataDir: temporaryDirectory(t), env: {}, clock: systemClock });
  assert.equal((await models.choose('claude:haiku')).name, 'claude/haiku');
});

test('[CJ15] Codex is named like the other agent, and one that is missing says how to get it', async (t) => {
  assert.deepEqual(chooseAgent('codex/gpt-6'), { provider: 'codex', model: 'gpt-6', name: 'codex/gpt-6' });
  const dataDir = temporaryDirectory(t);
  const processes = createProcessPort({ clock: systemClock });
  t.after(() => processes.close());
  const env = { PATH: dataDir, HOME: dataDir };
  const models = createModels({ dataDir, env, clock: systemClock });
  const codex = createAgents({ models, clock: systemClock, processes }).find(({ id }) => id === 'codex');
  const offer = await codex?.offers?.();
  assert.match(offer?.state.type === 'missing' ? offer.state.message : '', /npm install -g @openai\/codex/);
});

test('[CI17] the config names the program of an agent, and the variables that it gets', async (t) => {
  const dataDir = temporaryDirectory(t);
  const program = join(dataDir, 'agent');
  writeFileSync(program, `#!/bin/sh\nenv > ${dataDir}/seen\necho '{"loggedIn":false}'\n`);
  chmodSync(program, 0o700);
  writeFileSync(join(dataDir, 'config.toml'), `[agents.claude]\ncommand = "${program}"\nenv = ["WANTED"]\n`);
  const env = { PATH: '/bin:/usr/bin', HOME: dataDir, WANTED: 'yes', ANTHROPIC_API_KEY: 'secret' };
  const processes = createProcessPort({ clock: systemClock });
  t.after(() => processes.close());
  const [agent] = createAgents({
    models: createModels({ dataDir, env, clock: systemClock }),
    clock: systemClock,
    processes,
  });
  const offer = await agent?.offers?.();
  assert.match(offer?.state.type === 'missing' ? offer.state.message : '', /not logged in/);
  const seen = readFileSync(join(dataDir, 'seen'), 'utf8');
  assert.match(seen, /WANTED=yes/);
  assert.doesNotMatch(seen, /secret/);
});
