import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeSet, EditorState, Text } from '@codemirror/state';
import type { ChangeSpec, Transaction } from '@codemirror/state';
import { spliceText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import { VirtualClock } from '@loom/kernel/testing';
import type { TextChange } from '@loom/sync';
import * as fc from 'fast-check';
import type { EditedText } from './edited-text.ts';
import { fromText, splicesOf, TextBinding } from './text-binding.ts';
import type { BoundView } from './text-binding.ts';

/** The splices of changes in a text, and the text that both make. */
function made(before: string, specs: ChangeSpec): { splices: unknown; text: string; shown: string } {
  const doc = Text.of(before.split('\n'));
  const changes = ChangeSet.of(specs, before.length, '\n');
  const { splices, repairs } = splicesOf(changes, doc);
  const shown = changes.apply(doc);
  return {
    splices,
    text: spliceText(before, splices),
    shown: ChangeSet.of(repairs, shown.length, '\n').apply(shown).toString(),
  };
}

test('[WB511] what an editor changes becomes splices of the text before', () => {
  const { splices, text, shown } = made('one\r\ntwo\nthree', [
    { from: 0, to: 3, insert: '1' },
    { from: 9, insert: '\r\n2½' },
  ]);
  assert.deepEqual(splices, [
    { at: 0, delete: 3, insert: '1' },
    { at: 9, delete: 0, insert: '\r\n2½' },
  ]);
  assert.equal(text, shown);
});

test('[WB511] half of a surrogate pair that is replaced takes the other half along', () => {
  // Input methods replace the part that differs: both faces begin with the same half.
  const second = made('a😀b', { from: 2, to: 3, insert: '😁'.slice(1) });
  assert.deepEqual(second.splices, [{ at: 1, delete: 2, insert: '😁' }]);
  assert.equal(second.text, 'a😁b');
  const first = made('a😀b', { from: 1, to: 2, insert: '🤠'.slice(0, 1) });
  assert.equal(first.text, first.shown);
  assert.ok(first.text.isWellFormed());
});

test('[WB511] characters that no store can hold are replaced in the text and in the editor', () => {
  const { text, shown } = made('ab', { from: 1, insert: `x\0${'😀'.slice(0, 1)}y` });
  assert.equal(text, 'ax\uFFFD\uFFFDyb');
  assert.equal(shown, text);
});

/** A text that is typed into at one place and changed by others elsewhere, as a replica has it: every change is told at once. */
class MadeUpText {
  now: string;
  readonly listeners = new Set<(change: TextChange) => void>();

  constructor(start: string) {
    this.now = start;
  }

  change(splices: readonly TextSplice[], by: TextChange['by']): void {
    this.now = spliceText(this.now, splices);
    for (const listener of this.listeners) listener({ type: 'text', block: 'b', splices, by });
  }

  get edited(): EditedText {
    return {
      text: () => this.now,
      isOpen: () => true,
      open() {},
      close() {},
      edit: (splices) => this.change(splices, { isHere: true }),
      undo() {},
      redo() {},
      follow: (listener) => {
        this.listeners.add(listener);
        return () => void this.listeners.delete(listener);
      },
      isSaved: () => true,
      showCursor() {},
      others: () => [],
      followOthers: () => () => {},
    };
  }
}

/** An editor without a screen, bound to a text. */
function bind(start: string): {
  text: MadeUpText;
  clock: VirtualClock;
  view: BoundView & { state: EditorState; compositionStarted: boolean; updates: number };
  type: (at: number, count: number, insert: string) => void;
  /** The author of each change of others that was shown. */
  authors: (string | undefined)[];
} {
  const text = new MadeUpText(start);
  const clock = new VirtualClock();
  const authors: (string | undefined)[] = [];
  const binding = new TextBinding(text.edited, clock, () => {});
  const view = {
    state: EditorState.create({ doc: start, extensions: EditorState.lineSeparator.of('\n') }),
    compositionStarted: false,
    updates: 0,
    update(transactions: readonly Transaction[]) {
      view.updates += 1;
      view.state = transactions.at(-1)?.state ?? view.state;
    },
    dispatch(transactions: readonly Transaction[]) {
      for (const transaction of transactions) {
        const by = transaction.annotation(fromText);
        if (by !== undefined) authors.push(by.agent);
      }
      binding.dispatch(transactions, view);
    },
  };
  binding.attach(view);
  const type = (at: number, count: number, insert: string): void => {
    const from = Math.min(at, view.state.doc.length);
    const to = Math.min(from + count, view.state.doc.length);
    view.dispatch([view.state.update({ changes: { from, to, insert } })]);
  };
  return { text, clock, view, type, authors };
}

test('[WB736] what others write is shown a few changes at a time, after the frame of a key, each with its author', () => {
  const { text, clock, view, type, authors } = bind('start');
  const by = (agent: string): TextChange['by'] => ({ agent, isHere: false });
  clock.advance(1000);
  text.change([{ at: 0, delete: 0, insert: '1' }], by('claude'));
  assert.equal(view.state.doc.toString(), '1start', 'after quiet it is shown at once');
  text.change([{ at: 1, delete: 0, insert: '2' }], by('claude'));
  text.change([{ at: 2, delete: 0, insert: '3' }], by('claude'));
  text.change([{ at: 0, delete: 0, insert: '4' }], by('jo'));
  assert.equal(view.state.doc.toString(), '1start');
  clock.advance(45);
  type(6, 0, '!');
  assert.equal(text.now, '4123start!');
  clock.advance(10);
  assert.equal(view.state.doc.toString(), '1start!', 'the frame belongs to the key');
  clock.advance(10);
  assert.equal(view.state.doc.toString(), '4123start!');
  assert.deepEqual(authors, ['claude', 'claude', 'jo']);
  assert.equal(view.updates, 3);
});

test('[WB511] [WB736] whatever is typed while changes of others wait, also inside of what they change, both have the same text', () => {
  const anyInsert = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀'), maxLength: 4 });
  const anyStep = fc.oneof(
    fc.record({ who: fc.constantFrom('typist', 'claude', 'jo'), at: fc.nat(30), delete: fc.nat(6), insert: anyInsert }),
    fc.record({ wait: fc.nat(80) }),
    fc.record({ isComposing: fc.boolean() }),
  );
  fc.assert(
    fc.property(anyInsert, fc.array(anyStep, { maxLength: 30 }), (start, steps) => {
      const { text, clock, view, type } = bind(start);
      for (const step of steps) {
        if ('wait' in step) clock.advance(step.wait);
        else if ('isComposing' in step) view.compositionStarted = step.isComposing;
        else if (step.who === 'typist') type(step.at, step.delete, step.insert);
        else {
          const at = whole(text.now, step.at);
          const count = whole(text.now, at + step.delete) - at;
          text.change([{ at, delete: count, insert: step.insert }], { agent: step.who, isHere: false });
        }
      }
      view.compositionStarted = false;
      clock.advance(200);
      text.change([{ at: 0, delete: 0, insert: '.' }], { agent: 'jo', isHere: false });
      clock.advance(200);
      assert.equal(view.state.doc.toString(), text.now);
    }),
    { numRuns: 1000 },
  );
});

/** The nearest place that cuts no character. */
function whole(text: string, offset: number): number {
  const at = Math.min(offset, text.length);
  return text.slice(0, at).isWellFormed() ? at : at - 1;
}
