import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainObject, message } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { noCaptures, readCaptures } from '../claude-code/testing/captures.ts';
import { answer, call, line, result, said, text } from '../claude-code/testing/transcript.ts';
import type { Tally } from '../foreign/foreign.ts';
import { isNormalizedKind, normalizedKinds } from './kinds.ts';
import type { NormalizedKind } from './kinds.ts';
import { normalize } from './normalize.ts';

async function* piecesOf(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function normalized(
  kind: NormalizedKind,
  lines: readonly PlainObject[] | Uint8Array,
  size = 1e9,
): Promise<PlainObject[]> {
  const bytes =
    lines instanceof Uint8Array
      ? lines
      : new TextEncoder().encode(lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const found: PlainObject[] = [];
  for await (const each of normalize(kind, piecesOf(bytes, size))) if (isPlainObject(each)) found.push(each);
  return found;
}

const session = [
  said('u1', null, 'Go'),
  answer('a1', 'u1', 'm1', call('t1')),
  result('r1', 'a1', 't1', 'one'),
  answer('a2', 'r1', 'm1', call('t2')),
  result('r2', 'a2', 't2', 'two'),
  answer('b1', 'r2', 'm2', text('Done')),
];

test('[NZ1] messages come in order, each once and whole, with what is known of them', async () => {
  const found = await normalized('claude-code', session, 7);
  assert.deepEqual(
    found.map(({ role, id, parent, tool_call_id: answered, state, content }) => [
      role,
      id,
      parent,
      answered,
      state,
      Array.isArray(content) ? content.length : 0,
    ]),
    [
      ['user', 'u1', undefined, undefined, undefined, 1],
      ['assistant', 'a1', 'u1', undefined, undefined, 2],
      ['tool', 'r1', 'a1', 't1', 'result', 2],
      ['tool', 'r2', 'r1', 't2', 'result', 2],
      ['assistant', 'b1', 'r2', undefined, undefined, 1],
      [undefined, undefined, undefined, undefined, undefined, 0],
    ],
  );
  assert.deepEqual(found[0], {
    role: 'user',
    content: [
      {
        type: 'text',
        text: 'Go',
        block_id: 'u1/@claude-code/1',
        metadata: { origin: { source: 'claude-code', id: 'u1' } },
      },
    ],
    id: 'u1',
    conversation: 'u1',
    source: { type: 'user' },
    started_at: '2026-11-15T19:33:12.401Z',
    ended_at: '2026-11-15T19:33:12.401Z',
  });
});

test(
  '[NZ2] every message of every capture is one that Loom takes, its blocks have ids of their own, and cuts in the bytes change nothing',
  { skip: noCaptures },
  async () => {
    for (const { name, stdout, transcripts } of readCaptures()) {
      const sources = [
        ['claude-cli', stdout] as const,
        ...transcripts.map(({ text }) => ['claude-code', new TextEncoder().encode(text)] as const),
      ];
      for (const [kind, bytes] of sources) {
        const found = await normalized(kind, bytes);
        const ids = new Set<unknown>();
        for (const { role, content, tool_call_id, is_error } of found.slice(0, -1)) {
          const read = message.parse({
            role,
            content,
            ...(tool_call_id === undefined ? {} : { tool_call_id }),
            ...(is_error === undefined ? {} : { is_error }),
          });
          for (const { block_id: id } of read.content) {
            assert.ok(id !== undefined && !ids.has(id), `${name} ${String(id)}`);
            ids.add(id);
          }
        }
        assert.equal(JSON.stringify(await normalized(kind, bytes, 4099)), JSON.stringify(found), name);
      }
    }
  },
);

test('[NZ3] what was taken back before the next message is left out; what was handed out already is named', async () => {
  const found = await normalized('claude-code', [
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', text('I must not')),
    answer('b1', 'a1', 'm2', text('Gladly'), { supersedesUuids: ['a1'] }),
    answer('c1', 'b1', 'm3', text('And more')),
    line('system', 's1', 'c1', { subtype: 'model_refusal_fallback', retractedMessageUuids: ['b1'] }),
  ]);
  assert.deepEqual(
    found.map(({ id, type, parent }) => [id ?? type, parent]),
    [
      ['u1', undefined],
      ['b1', 'u1'],
      ['retracted', undefined],
      ['c1', 'b1'],
      ['usage', undefined],
    ],
  );
});

test('[NZ4] the last object says what calls of models cost, each counted once', async () => {
  const found = await normalized('claude-code', [...session, ...session]);
  assert.deepEqual(found.at(-1), { type: 'usage', input_tokens: 6, output_tokens: 10 });
  assert.deepEqual(await normalized('claude-code', []), [{ type: 'usage', input_tokens: 0, output_tokens: 0 }]);
});

test('[NZ5] a call that nothing has answered gets a result that says so, at the end', async () => {
  const found = await normalized('claude-code', session.slice(0, 4));
  const [lacking] = found.slice(-2);
  assert.deepEqual(
    [lacking?.tool_call_id, lacking?.is_error, lacking?.state, lacking?.details],
    ['t2', true, 'interrupted', { not_in_source: true }],
  );
});

test('[NZ6] messages are handed out while more are read, and are not kept', async () => {
  const words = 'x'.repeat(10_000);
  let made = 0;
  let mostAhead = 0;
  let found = 0;
  async function* turns(): AsyncIterable<Uint8Array> {
    let parent: string | null = null;
    for (; made < 2000; made += 1) {
      const uuid: string = `a${made}`;
      yield new TextEncoder().encode(`${JSON.stringify(answer(uuid, parent, `m${made}`, text(words)))}\n`);
      parent = uuid;
      mostAhead = Math.max(mostAhead, made - found);
    }
  }
  for await (const _ of normalize('claude-code', turns())) found += 1;
  assert.equal(found, 2001);
  assert.ok(mostAhead <= 2, `${mostAhead} messages were held`);
});

test('[NZ7] what became of the lines is told at the end', async () => {
  const tallies: Tally[] = [];
  const bytes = new TextEncoder().encode('no JSON\n{"type":"future"}\n');
  for await (const _ of normalize('claude-code', piecesOf(bytes, 5), (tally) => void tallies.push(tally)));
  assert.deepEqual(
    tallies.map(({ counts }) => counts),
    [{ read: 2, used: 0, raw: 1, reported: 1 }],
  );
});

test('[NZ7] a line that is nested too deep is told of, in every kind, and what comes behind it is read', async () => {
  const content = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
  const deep = `{"type":"user","uuid":"deep","session_id":"s","message":{"role":"user","content":${content}}}`;
  const bytes = new TextEncoder().encode(`${deep}\n{"type":"unknown"}\n`);
  for (const kind of normalizedKinds.filter(isNormalizedKind)) {
    let told: Tally | undefined;
    for await (const each of normalize(kind, piecesOf(bytes, 1e9), (tally) => void (told = tally)))
      assert.doesNotThrow(() => JSON.stringify(each));
    assert.deepEqual([kind, told?.counts.read, told?.counts.reported], [kind, 2, 1]);
  }
});
