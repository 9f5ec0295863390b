import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ForestFolder } from '../testing/forest-folder.ts';
import { offeredTools } from './offered-tools.ts';
import { openWriter } from '../runtime/opened-folder.ts';

test('[CH49] a chat offers the tools that the conversation and its model have: those of the demo to the demo alone', async (context) => {
  const { dataDir } = new ForestFolder(context);
  const loom = await openWriter({ dataDir, files: false });
  try {
    const created = await loom.call('root.create', { config: { approval_mode: 'plan' } });
    assert.ok(created.ok);
    const namesFor = async (provider: string, root?: string) =>
      (await offeredTools(loom, { provider, model: 'one' }, root)).map(({ name }) => name);
    const demo = await namesFor('demo');
    assert.ok(demo.includes('run_command') && !demo.includes('todo'));
    const real = await namesFor('anthropic', created.value.root);
    assert.ok(real.includes('exit_plan') && real.includes('todo') && !real.includes('run_command'));
    assert.ok(!(await namesFor('anthropic')).includes('exit_plan'));
  } finally {
    await loom.close();
  }
});

test('[CH96] a turn of an agent is started without tools of Loom, also in a folder', async (context) => {
  const folder = new ForestFolder(context);
  const program = join(folder.dataDir, 'claude.sh');
  const said = { type: 'assistant', uuid: '00000000-0000-4000-8000-000000000003' };
  const message = { id: 'n', model: 'fake', content: [{ type: 'text', text: 'Done.' }] };
  const lines = [
    `case "$1" in auth) echo '{"loggedIn":true}'; exit;; esac`,
    `while read -r said; do case "$said" in *'"type":"user"'*)`,
    `echo '{"type":"system","subtype":"init","session_id":"s","cwd":"/","model":"fake"}'`,
    `echo '${JSON.stringify({ ...said, session_id: 's', message })}'`,
    `echo '{"type":"result","subtype":"success","session_id":"s"}';; esac; done`,
  ];
  mkdirSync(folder.dataDir, { recursive: true });
  writeFileSync(program, lines.join('\n'));
  writeFileSync(join(folder.dataDir, 'config.toml'), `[agents.claude]\ncommand = ["/bin/sh", "${program}"]\n`);
  const { out, note } = await folder.run(['chat', '--agent', 'claude', '--dir', folder.dataDir, '-p', 'go']);
  assert.match(out, /Done\./u, note);
  const [root] = (await folder.succeed(['call', 'root.list'])).match(/root-\w+/u) ?? [];
  const turns = await folder.succeed(['call', 'turn.list', JSON.stringify({ root: root ?? '' })]);
  assert.match(turns, /"provider": ?"claude"[^]*"tools": ?\[\]/u);
});
