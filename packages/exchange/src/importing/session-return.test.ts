import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { createTranscriptReader } from '../claude-code/index.ts';
import { LoomLinesReader } from '../chats/loom-lines-reader.ts';
import { claudeSession } from '../exporting/claude-session.ts';
import { loomLinesExport } from '../exporting/loom-lines.ts';
import { exportSource } from '../exporting/source.ts';
import { gathered } from '../exporting/testing/sample-source.ts';
import { workedConversation } from '../exporting/testing/worked-conversation.ts';
import { withExported } from './import-note.ts';
import { withExports } from './root-facts.ts';
import { createImportWorld } from './testing/imports.ts';

test('[IM19] a session that Loom wrote and another program went on with grows the branch that it was, and no view is added to what Loom wrote', async () => {
  const world = createImportWorld();
  const own = new LoomLinesReader();
  for await (const line of loomLinesExport(workedConversation(), { node: 'root/said' })) own.push(line.trimEnd());
  await (await world.importer('loom')).take(own.take());
  const [state] = await world.states();
  assert.ok(state !== undefined);
  const leaf = state.recentLeaves(1)[0]?.id ?? '';
  const source = exportSource(state, { get: () => Promise.resolve(undefined) });
  const session = claudeSession(source, leaf, { directory: '/home/me' });
  const lines = (await gathered(session.lines())).trimEnd().split('\n');
  await world.forest.change({ agent: 'person', id: 'export' }, state.id, z.null(), (now) => ({
    ok: true,
    ops: [
      { type: 'root-changed', config: withExports(now.config, 'claude-code', [session.id]) },
      ...session.origins.flatMap(({ node, origin, keys }) => {
        const known = now.nodes.get(node);
        const names = { id: origin.id, keys: keys.map(({ key }) => key) };
        if (known === undefined) return [];
        return [{ type: 'node-changed' as const, node, set: { note: withExported(known, 'claude-code', names) } }];
      }),
    ],
    value: null,
  }));
  const last = session.origins.at(-1)?.keys.at(-1)?.key;
  const grown = {
    parentUuid: last,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: 'Go on.' },
    uuid: '0b1c2d3e-0000-4000-8000-000000000009',
    timestamp: '2026-11-17T13:00:00.000Z',
    sessionId: session.id,
  };
  const reader = createTranscriptReader({ session: session.id });
  for (const line of [...lines, JSON.stringify(grown)]) reader.push(line);
  reader.end();
  const importer = await world.importer('claude-code');
  await importer.take(reader.take());
  assert.deepEqual(importer.counts, { roots_added: 0, nodes_added: 1, blocks_added: 1 });
  const [after, second] = await world.states();
  assert.equal(second, undefined);
  const added = after?.recentLeaves(1)[0];
  assert.deepEqual([added?.parent, added?.origin?.source], [leaf, 'claude-code']);
});
