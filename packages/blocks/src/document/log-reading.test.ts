import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import { fromBase64 } from '../text/base64.ts';
import { BlockDocument } from './block-document.ts';
import type { LoggedEdit, UnitFlip } from './block-text.ts';
import { countWork } from '../testing/counted-work.ts';
import { SeededRandom } from './testing/seeded-random.ts';

type Entry = LoggedEdit | UnitFlip;

test('[DO12] a log is read into a document with less than three times the work of bare Yjs for its updates', () => {
  const seed = 'as it was before the first edit\n'.repeat(5_000);
  const log = writeLog(seed, 5_000);
  const updates = log.flatMap(({ update }) => (update === undefined ? [] : [fromBase64(update)]));
  const bare = new Y.Doc({ gc: false });
  Y.applyUpdate(bare, new BlockDocument(seed).encode());
  const bareWork = countWork(() => updates.forEach((update) => Y.applyUpdate(bare, update)));
  const document = new BlockDocument(seed);
  const work = countWork(() => document.applyTogether(() => log.forEach((entry) => tell(document, entry))));
  assert.equal(document.text, bare.getText('text').toJSON());
  assert.deepEqual(document.encode(), Y.encodeStateAsUpdate(bare));
  const words = `${JSON.stringify(work)}, bare Yjs ${JSON.stringify(bareWork)}`;
  assert.ok(work.calls < 3 * bareWork.calls && work.bytes < 3 * bareWork.bytes, words);
});

test('[DO12] an edit that does not follow the edits of its client before is thrown', () => {
  const [ahead, behind] = [new BlockDocument('text'), new BlockDocument('text')];
  const [first, second] = ['one', 'two'].map((insert) => writeEdit(ahead, 0, { at: 0, delete: 0, insert }));
  assert.throws(() => behind.applyEdit(second ?? assert.fail()), RangeError);
  assert.equal(behind.text, 'text');
  behind.applyEdit(first ?? assert.fail());
  assert.throws(() => behind.applyEdit(first ?? assert.fail()), RangeError);
  behind.applyEdit(second ?? assert.fail());
  assert.equal(behind.text, 'twoonetext');
});

/** Edits all over a text, some of which are taken back. */
function writeLog(seed: string, edits: number): Entry[] {
  const document = new BlockDocument(seed);
  const random = new SeededRandom(7);
  const log: Entry[] = [];
  for (let step = 0; step < edits; step += 1) {
    const at = random.below(document.length - 9);
    const splice = { at, delete: random.below(9), insert: random.chance(70) ? `edit ${step}` : '' };
    log.push(writeEdit(document, step, splice));
    const unit = step % 40 === 0 ? document.undoable('ada') : undefined;
    if (unit === undefined) continue;
    const flip = document.planFlip(7, unit.ordinal);
    document.applyFlip(flip);
    log.push(flip);
  }
  return log;
}

function writeEdit(document: BlockDocument, step: number, splice: LoggedEdit['splices'][number]): LoggedEdit {
  const edit = { agent: 'ada', unit: `edit-${step}`, isWhole: true, client: 7, ...document.planEdit(7, [splice]) };
  document.applyEdit(edit);
  return edit;
}

function tell(document: BlockDocument, entry: Entry): void {
  if ('agent' in entry) document.applyEdit(entry);
  else document.applyFlip(entry);
}
