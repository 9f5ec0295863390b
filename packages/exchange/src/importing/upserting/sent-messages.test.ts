import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { nameNode, nameRoot } from '@loom/kernel/logs';
import type { ForeignItem } from '../../foreign/foreign.ts';
import { createImportWorld } from '../testing/imports.ts';

test('[IM65] a message that Loom sent is found under the name that its program gave it, and so is a line that Loom has no message for', async () => {
  const world = createImportWorld();
  const importer = await world.importer();
  const message = (id: string, text: string, more: object = {}): ForeignItem => ({
    type: 'node',
    node: {
      conversation: 'c',
      id,
      role: 'user',
      blocks: [{ key: id, block: { type: 'text', text } }],
      source: { type: 'user' },
      ...more,
    },
  });
  const conversation: ForeignItem = { type: 'conversation', conversation: { id: 'c' } };
  await importer.take([conversation, message('a', 'first')]);
  const [state] = await world.states();
  const [node] = state?.nodes.values() ?? [];
  assert.ok(state !== undefined && node !== undefined);
  await world.forest.change({ agent: 'person', id: 'names' }, state.id, z.null(), (now) => ({
    ok: true,
    value: null,
    ops: [
      ...nameRoot(now.config, 'elsewhere', ['c']),
      nameNode(node, 'elsewhere', { id: 'sent', keys: ['sent', 'beside'] }),
    ],
  }));
  const again = await world.importer();
  await again.take([
    conversation,
    message('queued', 'first', { sent_as: 'sent' }),
    message('beside', 'stopped'),
    message('new', 'next', { parent: 'queued' }),
  ]);
  assert.deepEqual(again.counts, { roots_added: 0, nodes_added: 1, blocks_added: 1 });
  const [, last] = (await world.states())[0]?.nodes.values() ?? [];
  assert.equal(last?.parent, node.id);
});
