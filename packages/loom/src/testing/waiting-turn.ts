import assert from 'node:assert/strict';
import { openWriter } from '../runtime/opened-folder.ts';
import type { ForestFolder } from './forest-folder.ts';

/** Leaves a turn that waits for a decision, and that no process runs. */
export async function leaveWaiting(
  { dataDir }: ForestFolder,
  line: string,
  tools = ['run_command', 'ask_person'],
): Promise<string> {
  const loom = await openWriter({ dataDir });
  try {
    const created = await loom.call('root.create', { config: {} });
    assert.ok(created.ok);
    const { root } = created.value;
    const said = await loom.call('node.append', { parent: root, messages: [{ role: 'user', content: line }] });
    assert.ok(said.ok);
    const answer = { node: said.value.nodes[0] ?? '', provider: 'demo', model: 'demo' };
    assert.ok((await loom.call('turn.start', { ...answer, tools })).ok);
    for (;;) {
      const waiting = await loom.call('turn.waiting', {});
      const node = waiting.ok ? waiting.value.items[0]?.node : undefined;
      if (node !== undefined) return node;
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    await loom.close();
  }
}
