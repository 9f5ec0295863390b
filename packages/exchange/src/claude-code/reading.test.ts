import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import { answer, call, line, read, result, said, shapeOf, text } from './testing/transcript.ts';
import { recognizesTranscriptDocument, transcriptRecords } from './document.ts';
import { createTranscriptReader } from './transcript-reader.ts';

const session: PlainObject[] = [
  { type: 'queue-operation', operation: 'enqueue', sessionId: 's1' },
  said('u1', null, 'Go'),
  answer('a1', 'u1', 'm1', text('I will')),
  answer('a2', 'a1', 'm1', call('t1')),
  result('r1', 'a2', 't1', 'ok'),
  answer('b1', 'r1', 'm2', text('Done')),
  { type: 'custom-title', customTitle: 'A title', sessionId: 's1' },
];

test('[CC15] every line is counted once: understood, kept as it came, or reported', () => {
  const { reader, shape } = read([
    '// a comment',
    '',
    '42',
    `${JSON.stringify(session[1])}${JSON.stringify(session[2])}`,
    JSON.stringify(session[3]).slice(0, 40),
    { silly: 'this' },
    JSON.stringify(session.slice(4)),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'r1<a1', 'b1<r1']);
  assert.deepEqual(reader.tally.counts, { read: 9, used: 5, raw: 1, reported: 3 });
  assert.deepEqual(
    [...reader.tally.remarks.keys()],
    [
      'A line is not JSON.',
      'A line is JSON, but no record of a transcript.',
      'A line held several records without a break between them: each was read.',
      'A record is cut off.',
      'A line that cannot be read stood between two messages: the second comes behind the first.',
      'A result came whose call is not in the file.',
    ],
  );
});

test('[CC16] items may be taken after any line, and lead to the same', () => {
  const whole = read(session).forest;
  const reader = createTranscriptReader();
  const forest = new ItemForest();
  for (const each of session) {
    reader.push(JSON.stringify(each));
    forest.apply(reader.take());
  }
  assert.deepEqual(forest.value, whole.value);
  assert.deepEqual(reader.take(), []);
});

test('[CC17] what was taken back is told, and what follows comes below what is left', () => {
  const { forest, items } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', text('I must not')),
    line('system', 's1', 'a1', { subtype: 'model_refusal_fallback', retractedMessageUuids: ['a1'] }),
    answer('b1', 's1', 'm2', text('Gladly')),
    answer('b2', 'b1', 'm3', text('More gladly'), { supersedesUuids: ['b1'] }),
  ]);
  assert.deepEqual(
    items.flatMap((item) => (item.type === 'retract' ? [item.keys] : [])),
    [['a1'], ['b1']],
  );
  assert.deepEqual(shapeOf(forest), ['u1', 'a1<u1', 'b1<u1', 'b2<u1']);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ blocks }) => blocks.length),
    [1, 0, 0, 1],
  );
});

test('[CC17] a result that was taken back goes with its views, and its answer stays', () => {
  const { forest, shape } = read([
    said('u1', null, 'Go'),
    answer('a1', 'u1', 'm1', call('t1')),
    result('r1', 'a1', 't1', 'ok'),
    line('system', 's1', 'r1', { retractedMessageUuids: ['r1'] }),
    answer('b1', 's1', 'm2', text('Done')),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'r1<a1', 'b1<a1']);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ blocks }) => blocks.length),
    [1, 1, 0, 1],
  );
});

test('[CC15] a transcript that is one document is read record by record', () => {
  for (const document of [session, { loglines: session }]) {
    const json = JSON.stringify(document, undefined, 2);
    assert.ok(recognizesTranscriptDocument(json));
    const reader = createTranscriptReader();
    for (const record of transcriptRecords(json) ?? []) reader.pushRecord(record);
    const forest = new ItemForest();
    forest.apply(reader.take());
    assert.deepEqual(forest.value, read(session).forest.value);
    assert.deepEqual(reader.tally.counts, { read: 7, used: 7, raw: 0, reported: 0 });
  }
  for (const other of ['[1]', '{"messages":[]}', '[{"role":"user"}]', 'not JSON']) {
    assert.ok(!recognizesTranscriptDocument(other), other);
  }
  assert.deepEqual(
    [transcriptRecords('[1]'), transcriptRecords('{"a":1}'), transcriptRecords('[')],
    [undefined, undefined, undefined],
  );
});
