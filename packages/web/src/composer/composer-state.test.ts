import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapeOf } from '../conversation/branches.ts';
import type { Shape } from '../conversation/branches.ts';
import { Store } from '../stores/store.ts';
import { ComposerState } from './composer-state.ts';
import type { WrittenIn } from './composer-state.ts';

/** A conversation of which a branch is shown, or the beginning of a new one. */
function conversationOf(children: Readonly<Record<string, readonly string[]>>) {
  const shape = new Store<Shape>({ ...shapeOf([]), children: new Map(Object.entries(children)) });
  const path = new Store<readonly string[]>([]);
  let openEnd: string | undefined;
  const conversation: WrittenIn = {
    root: 'r',
    path,
    shape,
    get openEnd() {
      return openEnd;
    },
  };
  const show = (nodes: readonly string[], end?: string): void => {
    openEnd = end;
    path.set(nodes);
  };
  return { conversation, show };
}

function composerIn(conversation: WrittenIn): ComposerState {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  return new ComposerState(storage, new Store<WrittenIn | undefined>(conversation));
}

test('[WB143] what is written for a new branch stays there, and what is written at the end of the old one stays there', () => {
  const { conversation, show } = conversationOf({ r: ['a'], a: ['b'], b: ['c'] });
  const composer = composerIn(conversation);
  const text = (): string => composer.draft.getSnapshot().text;
  show(['a']);
  composer.write('at the end');
  show(['a', 'b', 'c']);
  assert.equal(text(), 'at the end', 'the branch has grown');
  show(['a'], 'a');
  assert.equal(text(), '', 'a new branch begins where the draft was once written');
  composer.write('on a new branch');
  show(['a', 'b', 'c']);
  assert.equal(text(), 'at the end');
  show([], 'r');
  assert.equal(text(), '');
  composer.write('a new beginning');
  show(['a'], 'a');
  assert.equal(text(), 'on a new branch');
  show([], 'r');
  assert.equal(text(), 'a new beginning');
});

test('[WB143] what is written on while the first message of a new branch is sent goes along with it', () => {
  const { conversation, show } = conversationOf({ r: ['a'], a: ['b'] });
  const composer = composerIn(conversation);
  const text = (): string => composer.draft.getSnapshot().text;
  show(['a'], 'a');
  composer.write('the next one');
  show(['a', 'x']);
  assert.equal(text(), 'the next one');
  show(['a'], 'a');
  assert.equal(text(), '', 'it has moved along');
  show(['a', 'x', 'y']);
  assert.equal(text(), 'the next one');
});

test('[WB73] what is typed before the conversation is loaded joins the draft of an earlier visit', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  const visit = () => {
    const { conversation, show } = conversationOf({ r: ['a'] });
    return { composer: new ComposerState(storage, new Store<WrittenIn | undefined>(conversation)), show };
  };
  const first = visit();
  first.show(['a']);
  first.composer.write('from before');
  const second = visit();
  second.composer.write('and now');
  second.show(['a']);
  assert.equal(second.composer.draft.getSnapshot().text, 'from before\n\nand now');
  const third = visit();
  third.show(['a']);
  assert.equal(third.composer.draft.getSnapshot().text, 'from before\n\nand now');
});
