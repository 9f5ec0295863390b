import { z } from 'zod';
import type { FilesWorld } from './files-world.ts';

/** Fills a forest with something of everything, written to files. */
export async function furnish(world: FilesWorld): Promise<string[]> {
  const roots = [await world.createRoot('Be brief.'), await world.createRoot('Be kind.')];
  for (const root of roots) {
    const first = await world.say(root, root, 'What is a forest?\nAnd what is a tree?\n');
    const second = await world.say(root, first, 'Trees, mostly. 🌲🌲\n', 'assistant');
    await world.say(root, first, 'Something else entirely.', 'assistant');
    const third = await world.say(root, second, 'Thank you.');
    await world.forest.markNode(world.request(), root, {
      node: third,
      title: 'Thanks',
      tags: ['polite', 'short'],
      custom_data: { mood: 'good', score: 12.5 },
    });
    await world.forest.append(world.request(), root, {
      parent: third,
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'tool-use', id: 'call-1', name: 'read', parameters: { path: 'a.txt', lines: [1, 2] } },
          ],
        },
        { role: 'tool', tool_call_id: 'call-1', content: [{ type: 'text', text: 'content of a' }] },
      ],
    });
    await world.forest.markRoot(world.request(), root, { title: 'About forests', project: 'woods' });
    await world.forest.createDraft(world.request(), root, { title: 'Plan', text: 'Plant trees.\n' });
    await world.forest.bookmark(world.request(), root, { node: second, title: 'Trees' });
    // As importers write it.
    await world.forest.change(world.request(), root, z.null(), () => ({
      ok: true,
      ops: [{ type: 'node-changed', node: third, set: { notice: { kind: 'task' } } }],
      value: null,
    }));
  }
  await world.settle();
  return roots;
}
