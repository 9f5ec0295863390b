import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ReplicaChange } from '@loom/sync';
import { withWriter } from './opened-folder.ts';
import { orFail } from '../words/refusal-error.ts';
import { temporaryDirectory } from '@loom/kernel/testing';

test('[CH36] a chat hears through room and replica: everything until now, then each change, and nothing once it has left', async (context) => {
  await withWriter({ dataDir: join(temporaryDirectory(context), 'data') }, async (loom) => {
    const { root } = orFail(await loom.call('root.create', {}));
    const say = (text: string) =>
      loom.call('node.append', { parent: root, messages: [{ role: 'user', content: text }] });
    orFail(await say('one'));
    const [heard, failures]: [ReplicaChange[], unknown[]] = [[], []];
    const feed = await loom.follow(root, {
      onChange: (what) => void heard.push(what),
      onFailure: (error) => void failures.push(error),
    });
    await feed.open();
    assert.deepEqual([feed.replica.nodes.size, heard.filter(({ type }) => type === 'change')], [1, []]);
    const second = await say('two');
    assert.ok(second.ok);
    await feed.reach(second.cursor);
    assert.deepEqual(
      [...feed.replica.nodes.keys()].map((id) => id.split('/').at(-1)),
      ['node-1', 'node-2'],
    );
    assert.deepEqual(
      heard.flatMap((what) => (what.type === 'change' ? what.events.map(({ type }) => type) : [])),
      ['node-added'],
    );
    const before = heard.length;
    feed.close();
    orFail(await say('three'));
    assert.deepEqual([heard.slice(before).filter(({ type }) => type === 'change'), failures.length], [[], 0]);
  });
});
