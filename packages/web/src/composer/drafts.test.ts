import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, draftOf, isEmpty, joinDrafts } from './attaching/attachments.ts';
import type { Attachment, Draft } from './attaching/attachments.ts';
import { ComposerDrafts } from './composer-drafts.ts';

function memory() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const words = (text: string): Draft => ({ text, attachments: [] });
const picture: Attachment = { kind: 'file', id: '1', name: 'a.png', type: 'image/png', size: 3, blob: 'sha256:00' };

test('[WB73] a draft belongs to the end of a branch, goes along when the branch grows, and survives a reload', () => {
  const storage = memory();
  const drafts = new ComposerDrafts(storage);
  const keep = (path: string[], draft: Draft): void => drafts.keep('r', path.at(-1) ?? 'r', new Set(path), draft);
  keep(['r', 'a', 'b'], words('to b'));
  keep(['r', 'a', 'c'], words('to c'));
  const later = new ComposerDrafts(storage);
  assert.equal(later.read('r', ['r', 'a', 'b']).text, 'to b');
  assert.equal(later.read('r', ['r', 'a', 'c']).text, 'to c');
  assert.equal(later.read('r', ['r', 'a', 'b', 'd', 'e']).text, 'to b', 'the branch has grown since');
  assert.equal(later.read('r', ['r', 'a']).text, '', 'another place has none');
  keep(['r', 'a', 'b', 'd', 'e'], words('to e'));
  assert.equal(later.read('r', ['r', 'a', 'b']).text, '', 'it has moved along');
  keep(['r', 'a', 'b', 'd', 'e'], words(''));
  keep(['r', 'a', 'c'], words(' '));
  assert.equal(storage.kept.size, 0, 'nothing is left of what was sent');
});

test('[WB73] a storage that is damaged, full or closed costs the draft, never the page', () => {
  const storage = memory();
  storage.setItem('loom-drafts r', '{"a": {"text": 5}}');
  assert.ok(isEmpty(new ComposerDrafts(storage).read('r', ['a'])));
  const closed = { ...memory(), getItem: assert.fail, setItem: assert.fail };
  const drafts = new ComposerDrafts(closed);
  drafts.keep('r', 'a', new Set(['a']), words('x'));
  assert.ok(isEmpty(drafts.read('r', ['a'])));
});

test('[WB74] what goes with a message becomes its blocks, before the words, and comes back as it was', () => {
  const draft: Draft = {
    text: ' Look ',
    attachments: [picture, { kind: 'quote', id: '2', name: 'Tides', text: 'M2' }],
  };
  const blocks = blocksOf(draft);
  assert.deepEqual(blocks, [
    { type: 'image', media_type: 'image/png', blob: 'sha256:00', filename: 'a.png' },
    { type: 'text', text: 'From "Tides":\n\nM2' },
    { type: 'text', text: 'Look' },
  ]);
  const back = draftOf([blocks, [{ type: 'text', text: 'again' }]]);
  assert.equal(back.text, 'From "Tides":\n\nM2\n\nLook\n\nagain');
  assert.deepEqual(
    back.attachments.map(({ name }) => name),
    ['a.png'],
  );
  assert.equal(joinDrafts(back, words('typed meanwhile')).text.endsWith('again\n\ntyped meanwhile'), true);
  assert.deepEqual(blocksOf(words('  ')), []);
});
