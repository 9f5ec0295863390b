import assert from 'node:assert/strict';
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
