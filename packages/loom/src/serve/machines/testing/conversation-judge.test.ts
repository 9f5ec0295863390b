import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rootCodec } from '@loom/kernel/logs';
import type { Change, RootOp } from '@loom/kernel/logs';
import { createMemoryStore } from '@loom/stores/memory';
import { clientOf, serve, valueOf } from '../../testing/served.ts';
import { judgeConversation, longestAnswer } from './conversation-judge.ts';

type Changes = Change<RootOp>[];

const numbered = (changes: Changes): Changes => changes.map((change, index) => ({ ...change, seq: index + 1 }));
const has =
  (type: RootOp['type']) =>
  (change: Change<RootOp>): boolean =>
    change.ops.some((op) => op.type === type);

/** Ways to spoil a conversation, each with the words of the complaint. */
const faults: Record<string, [spoil: (changes: Changes) => Changes, complaint: RegExp]> = {
  'a gap': [(changes) => changes.toSpliced(2, 1), /change 3 is 4/u],
  'an acknowledged message that is lost': [
    (changes) => numbered(changes.filter((change) => !JSON.stringify(change).includes('Say it slowly'))),
    /was acknowledged and is there 0 times/u,
  ],
  'a change that was made twice': [
    (changes) => numbered(changes.toSpliced(3, 0, ...changes.slice(3, 4))),
    /written twice/u,
  ],
  'words that are missing in the middle': [
    (changes) => {
      const first = changes.findIndex(has('text-appended'));
      return numbered(changes.toSpliced(first, 1));
    },
    /have a hole/u,
  ],
  'a turn that writes after its end': [
    (changes) => {
      const word = changes.findLast(has('text-appended'));
      return numbered([...changes, ...(word === undefined ? [] : [{ ...word, request: 'late' }])]);
    },
    /comes after its end/u,
  ],
  'a turn that never ends': [
    (changes) => numbered(changes.filter((change) => !has('turn-ended')(change))),
    /never ended/u,
  ],
};

test('[PG26] each way to spoil a conversation is found, and one that is whole is not complained of', async (t) => {
  const store = createMemoryStore();
  const { engine, url, token } = await serve(t, { store });
  const client = clientOf(url, token);
  const { root } = valueOf(await client.call('root.create', {}));
  const content = 'Say it slowly, word for word, and then once more from the beginning to the end.';
  const said = valueOf(await client.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
  valueOf(await client.call('turn.start', { node: said.nodes[0] ?? '', provider: 'demo', model: 'echo' }));
  await engine.turns.idle();
  const { epoch = '', records = [] } = (await store.read(root, 0)) ?? {};
  const changes = records.flatMap(({ text }) => rootCodec.decode(text));
  assert.ok(changes.filter(has('text-appended')).length > 1, 'there are words to lose');
  const judge = (judged: Changes): string[] =>
    judgeConversation({
      root,
      contents: { epoch, records: rootCodec.encodeBatch(judged) },
      acknowledged: [content],
      story: longestAnswer([{ epoch, records }]),
    });
  assert.deepEqual(judge(changes), []);
  for (const [name, [spoil, complaint]] of Object.entries(faults)) {
    assert.match(judge(spoil(changes)).join('\n'), complaint, name);
  }
});
