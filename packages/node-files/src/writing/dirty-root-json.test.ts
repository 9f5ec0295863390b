import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEvent, FeedItem } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import { instantClock } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { DirtyRootJson } from './dirty-root-json.ts';
import { RootCounters } from './root-json-content.ts';

test('[NW63] the counters in root.json are those of the change that it names, whether later changes were noted or its own was not yet', async () => {
  let ids = 0;
  const next = (): string => String((ids += 1)).padStart(8, '0');
  const forest = new Forest({ store: createMemoryStore(), clock: instantClock(), ids: { next } });
  const created = await forest.createRoot({ agent: 'anna', id: next() });
  assert.ok(created.ok);
  const { root } = created.value;
  const log = forest.log(root);
  const items: Extract<FeedItem<FeedEvent>, { type: 'change' }>[] = [];
  const say = async (): Promise<void> => {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: next() }] satisfies [object] }];
    assert.ok((await forest.append({ agent: 'anna', id: next() }, root, { parent: root, messages })).ok);
  };
  const dirty = new DirtyRootJson();
  const assertExact = async (seq: number): Promise<void> => {
    const state = await log.past.stateAt(seq);
    const { json } = dirty.describe(state);
    assert.deepEqual([json.seq, json.counters], [seq, RootCounters.of(state).json()]);
  };
  await assertExact(1);
  for (let count = 0; count < 3; count += 1) await say();
  await log.past.walk((item) => {
    if (item.seq > 1) items.push(item);
    return true;
  });
  const noteNext = (): void => {
    const item = items.shift() ?? assert.fail();
    dirty.note(item.events, item.seq);
  };
  await assertExact(2);
  noteNext();
  noteNext();
  await assertExact(2);
  await assertExact(3);
  await assertExact(4);
  noteNext();
  await assertExact(4);
});
