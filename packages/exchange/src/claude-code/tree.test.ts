import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import { answer, call, line, read, result, said, shapeOf, text } from './testing/transcript.ts';
import { createTranscriptReader } from './transcript-reader.ts';

test('[CC1] the lines of one answer are one node, which is called as the first of them', () => {
  const { forest, shape } = read([
    said('u1', null, 'Fix it'),
    answer('a1', 'u1', 'm1', { type: 'thinking', thinking: 'Hm.', signature: 'sig' }),
    answer('a2', 'a1', 'm1', text('I will.')),
    answer('a3', 'a2', 'm1', call('t1')),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1']);
  assert.deepEqual(
    forest.nodes.get('u1\na1')?.blocks.map(({ key, block }) => [key, block]),
    [
      ['a1', { type: 'thinking', text: 'Hm.', provider: { anthropic: { signature: 'sig' } } }],
      ['a2', { type: 'text', text: 'I will.' }],
      ['a3', { type: 'tool-use', id: 't1', name: 'Bash', parameters: { command: 'ls' } }],
    ],
  );
});

test('[CC2] results of parallel calls come behind each other, wherever they hang, and the next message behind the last', () => {
  const { shape } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1')),
    answer('a2', 'a1', 'm1', call('t2')),
    answer('a3', 'a2', 'm1', call('t3')),
    // In the order of their ends, each below its own call.
    result('r2', 'a2', 't2', 'two'),
    result('r1', 'a1', 't1', 'one'),
    result('r3', 'a3', 't3', 'three'),
    answer('b1', 'r1', 'm2', text('Done')),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'r2<a1', 'r1<r2', 'r3<r1', 'b1<r3']);
});

test('[CC2] a result that came while its message still streamed does not cut the message in two', () => {
  const { shape, forest } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1')),
    result('r1', 'a1', 't1', 'one'),
    answer('a2', 'r1', 'm1', call('t2')),
    result('r2', 'a2', 't2', 'two'),
    answer('b1', 'r2', 'm2', text('Done')),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'r1<a1', 'r2<r1', 'b1<r2']);
  assert.equal(forest.nodes.get('u1\na1')?.blocks.length, 2);
});

test('[CC3] attachments, progress, notes of the system and kinds that are not known are passed through', () => {
  const { shape, reader } = read([
    line('progress', 'p0', null, { data: { type: 'hook_progress' } }),
    said('u1', 'p0', 'Go'),
    line('attachment', 'x1', 'u1', { attachment: { type: 'environment' } }),
    line('future-thing', 'x2', 'x1'),
    answer('a1', 'x2', 'm1', call('t1')),
    line('progress', 'x3', 'a1', { data: { type: 'bash_progress' } }),
    result('r1', 'x3', 't1', 'one'),
    line('system', 'x4', 'r1', { subtype: 'turn_duration' }),
    said('u2', 'x4', 'More'),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'r1<a1', 'u2<r1']);
  assert.deepEqual([...reader.tally.unknown], [['future-thing', 1]]);
});

test('[CC4] two prompts below one answer are a branch, and copies of a session have the same ids', () => {
  const history = [
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', text('Yes')),
    said('u2', 'a1', 'One way'),
    answer('a2', 'u2', 'm2', text('One')),
  ];
  const forked = [...history, said('u3', 'a1', 'Another way')];
  assert.deepEqual(read(forked).shape, ['u1', 'a1<u1', 'u2<a1', 'a2<u2', 'u3<a1']);
  const copy = read(history.map((each) => ({ ...each, sessionId: 's2' })));
  assert.deepEqual(copy.shape, read(history).shape);
  assert.deepEqual(
    [...copy.forest.conversations.values()].map(({ id, aliases }) => ({ id, aliases })),
    [{ id: 'u1', aliases: ['s2'] }],
  );
});

test('[CC5] a conversation is called as the line that its first message hangs below; other beginnings and the sessions are other names', () => {
  const { forest, shape } = read([
    line('progress', 'hook', null, { data: { type: 'hook_progress' } }),
    line('attachment', 'top', null, { attachment: { type: 'environment' } }),
    said('u1', 'top', 'Go', { cwd: '/tmp', version: '2.1.0', gitBranch: 'main' }),
    said('u2', null, 'From the beginning', { sessionId: 's2' }),
  ]);
  assert.deepEqual(shape, ['u1', 'u2']);
  assert.deepEqual(
    [...forest.conversations.values()],
    [
      {
        id: 'top',
        aliases: ['s1', 's2', 'u2'],
        directory: '/tmp',
        created_at: '2026-11-15T19:33:12.401Z',
        details: { version: '2.1.0', git_branch: 'main' },
      },
    ],
  );
});

test('[CC6] a compaction goes on below what was compacted, and its summary starts a context', () => {
  for (const logicalParentUuid of ['a1', 'not-in-the-file']) {
    const { forest, shape } = read([
      said('u1', null, 'Go'),
      answer('a1', 'u1', 'm1', text('Yes')),
      line('system', 'c1', null, { subtype: 'compact_boundary', logicalParentUuid }),
      said('u2', 'c1', 'What was said', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      said('u3', 'u2', 'More'),
    ]);
    assert.deepEqual(shape, ['u1', 'a1<u1', 'u2<a1', 'u3<u2']);
    assert.deepEqual(
      [...forest.nodes.values()].map(({ context_start }) => context_start),
      [undefined, undefined, true, undefined],
    );
  }
});

test('[CC7] what is above may be missing, ids may come twice or not at all: nothing is lost, and each is told', () => {
  const twice = said('u1', 'gone', 'Go');
  const { shape, reader } = read([
    twice,
    twice,
    said('u1', 'gone', 'Something else'),
    said('u1', 'gone', 'No'),
    answer('a1', 'u1', 'm1', text('Yes')),
    { type: 'user', message: 'No id', sessionId: 's1' },
    { type: 'user', message: { content: 'Nor here' }, sessionId: 's1' },
  ]);
  assert.deepEqual(shape, ['u1', 'u1~2', 'u1~3', 'a1<u1', 's1:1<a1', 's1:2<s1:1']);
  assert.deepEqual(
    [...reader.tally.remarks],
    [
      [
        'A message names one above it that is not in the file: it begins the conversation anew, unless that was imported from another file.',
        3,
      ],
      ['A line that came twice was read once.', 1],
      ['Different lines have the same id: the later ones got another.', 2],
    ],
  );
});

test('[CC7] what stood below a line that cannot be read comes behind the line before it', () => {
  const { shape, reader } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', text('Yes')),
    '{"type":"user","uuid":"u2","parentUuid":"a1","message":{"content":"cut',
    answer('a2', 'u2', 'm2', text('Well')),
    answer('a3', 'u2', 'm3', text('Or so')),
    said('u3', 'a2', 'On'),
    said('u4', 'elsewhere', 'This is not known'),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'a2<a1', 'a3<a1', 'u3<a2', 'u4']);
  assert.equal(reader.tally.counts.reported, 1);
  assert.ok([...reader.tally.remarks.keys()].some((text) => text.startsWith('A line that cannot be read stood')));
});

test('[CC7] an answer that a resumed session wrote again under another id is taken once', () => {
  const { shape, forest } = read([
    said('u1', null, 'Say lol'),
    answer('a1', 'u1', 'm1', text('lol')),
    answer('a2', null, 'm1', text('lol')),
    said('u2', 'a2', 'Again'),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'u2<a1']);
  assert.equal(forest.nodes.get('u1\na1')?.blocks.length, 1);
});

/** Returns the shape without retracted messages. */
function standing(forest: ItemForest): string[] {
  for (const [name, { blocks }] of forest.nodes) if (blocks.length === 0) forest.nodes.delete(name);
  return shapeOf(forest);
}

/** A history with two rounds, the first answer of which has three lines, under ids that begin with a letter. */
function twoRounds(ids: string, parent: string | null): PlainObject[] {
  const id = (name: string): string => `${ids}${name}`;
  return [
    said(id('u1'), parent, 'Fix it'),
    answer(id('a1'), id('u1'), 'm1', { type: 'thinking', thinking: 'Hm.', signature: 'sig' }),
    answer(id('a2'), id('a1'), 'm1', text('I will.')),
    answer(id('a3'), id('a2'), 'm1', call('t1')),
    result(id('r1'), id('a3'), 't1', 'one'),
    answer(id('b1'), id('r1'), 'm2', text('Done')),
    said(id('u2'), id('b1'), [{ type: 'text', text: 'And now?' }]),
    answer(id('c1'), id('u2'), 'm3', call('t2')),
    answer(id('c2'), id('c1'), 'm3', call('t3')),
    result(id('r3'), id('c2'), 't3', 'three'),
    result(id('r2'), id('c1'), 't2', 'two'),
    answer(id('d1'), id('r2'), 'm4', text('That is all')),
  ];
}

test('[CC19] a history that was written again under other ids is taken once, and what is new goes on at its end', () => {
  const once = read(twoRounds('', null));
  // From the beginning, behind the end, and only the last round.
  for (const again of [
    twoRounds('x', null),
    twoRounds('x', 'd1'),
    twoRounds('x', 'd1').slice(7),
    twoRounds('x', 'd1').slice(1),
  ]) {
    const first = again[0] ?? assert.fail();
    const lines = [
      ...twoRounds('', null),
      { ...first, parentUuid: first.parentUuid === null ? null : 'd1' },
      ...again.slice(1),
    ];
    const { forest, reader } = read([...lines, said('u3', 'xd1', 'Thanks')]);
    assert.deepEqual(standing(forest), [...once.shape, 'u3<d1']);
    for (const node of once.forest.nodes.values())
      assert.deepEqual(forest.nodes.get(`u1\n${node.id}`)?.blocks, node.blocks);
    const repeated = [...reader.tally.remarks].find(([remark]) => remark.includes('written again'));
    assert.equal(repeated?.[1], again.length);
  }
});

test('[CC19] taken line by line, a repeated history leaves nothing behind', () => {
  const reader = createTranscriptReader();
  const forest = new ItemForest();
  for (const each of [...twoRounds('', null), ...twoRounds('x', 'd1'), said('u3', 'xd1', 'Thanks')]) {
    reader.push(JSON.stringify(each));
    forest.apply(reader.take());
  }
  assert.deepEqual(standing(forest), [...read(twoRounds('', null)).shape, 'u3<d1']);
});

test('[CC19] an answer that comes again elsewhere or after a compaction stands there too, and costs once', () => {
  const { forest, shape, reader } = read([
    said('u1', null, 'Fix it'),
    answer('a1', 'u1', 'm1', text('I will.')),
    answer('a2', 'a1', 'm1', call('t1')),
    result('r1', 'a2', 't1', 'one'),
    said('v1', null, 'Fix that'),
    answer('x1', 'v1', 'm1', text('I will.')),
    answer('x2', 'x1', 'm1', call('t1')),
    result('xr1', 'x2', 't1', 'one'),
    line('system', 'c1', null, { subtype: 'compact_boundary', logicalParentUuid: 'r1' }),
    said('s1', 'c1', 'What was said', { isCompactSummary: true }),
    answer('y1', 's1', 'm1', call('t1')),
    result('yr1', 'y1', 't1', 'one'),
    said('u2', 'yr1', 'More'),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'r1<a1', 'v1', 'x1<v1', 'xr1<x1', 's1<r1', 'y1<s1', 'yr1<y1', 'u2<yr1']);
  const usages = [...forest.nodes.values()].flatMap(({ source }) => (source.type === 'model' ? [source.usage] : []));
  assert.deepEqual(
    usages.map((usage) => usage !== undefined),
    [true, false, false],
  );
  assert.ok([...reader.tally.remarks.keys()].some((remark) => remark.includes('came again at another place')));
});
