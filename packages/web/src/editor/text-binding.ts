import { Annotation, ChangeSet, Transaction } from '@codemirror/state';
import type { EditorState, Text, TransactionSpec } from '@codemirror/state';
import { cleanText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import type { TextAuthor, TextChange } from '@loom/sync';
import type { EditedText } from './edited-text.ts';

/** Marks transactions that bring in changes of the text from outside this editor, with their author. */
export const fromText = Annotation.define<TextAuthor>();

/** The parts of an editor that a binding needs. */
export interface BoundView {
  readonly state: EditorState;
  readonly compositionStarted: boolean;
  readonly update: (transactions: readonly Transaction[]) => void;
  readonly dispatch: (transactions: readonly Transaction[]) => void;
}

/** The time that is kept, in milliseconds. */
export interface BindingClock {
  readonly now: () => number;
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** A change that the text has and the editor does not show yet. */
interface WaitingChange {
  readonly changes: ChangeSet;
  readonly by: TextAuthor;
}

/** The shortest time between two drawings of what others write, in milliseconds: fifty changes a second are drawn as twenty. */
const pace = 50;

/** The time after a key in which nothing of others is drawn: the frame belongs to the key. */
const frame = 16;

/**
 * Keeps an editor and a text the same: what is typed becomes splices of the text, and what others change becomes
 * transactions. While an input method composes, changes of others wait, since they would end the composition; and while many come
 * they are shown a few at a time, since keys have to be drawn, too.
 */
export class TextBinding {
  readonly #text: EditedText;
  readonly #clock: BindingClock;
  readonly #onState: () => void;
  readonly #stop: () => void;
  #view: BoundView | undefined;
  /** In order: each is a change of the text that those before it make. */
  #waiting: readonly WaitingChange[] = [];
  #stopTimer: (() => void) | undefined;
  #shownAt = -Infinity;
  #typedAt = -Infinity;
  #isSending = false;

  /** `onState` is called when typing may have become possible or impossible, saved or unsaved, and when what has waited is shown. */
  constructor(text: EditedText, clock: BindingClock, onState: () => void) {
    this.#text = text;
    this.#clock = clock;
    this.#onState = onState;
    this.#stop = text.follow((change) => {
      this.#receive(change);
      onState();
    });
  }

  /** True while the text has changes that the editor does not show: places in one are none of the other. */
  get isBehind(): boolean {
    return this.#waiting.length > 0;
  }

  /** Takes the transactions of an editor in, for its option `dispatchTransactions`. */
  readonly dispatch = (transactions: readonly Transaction[], view: BoundView): void => {
    this.#view = view;
    view.update(transactions);
    for (const transaction of transactions) {
      if (transaction.docChanged && transaction.annotation(fromText) === undefined) this.#send(transaction);
    }
  };

  /** Begins to show the changes of a text. The editor begins with what the text is now. */
  attach(view: BoundView): void {
    this.#view = view;
  }

  /** Shows the changes that have waited, unless the input method composes again. */
  settle(): void {
    const view = this.#view;
    if (view === undefined || view.compositionStarted || !this.isBehind) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#shownAt = this.#clock.now();
    const transactions: Transaction[] = [];
    let { state } = view;
    for (const change of waiting) {
      const transaction = state.update(transactionOf(change));
      transactions.push(transaction);
      ({ state } = transaction);
    }
    view.dispatch(transactions);
    this.#onState();
  }

  close(): void {
    this.#stop();
    this.#stopTimer?.();
    this.#view = undefined;
  }

  #send(transaction: Transaction): void {
    this.#typedAt = this.#clock.now();
    let before = transaction.startState.doc;
    let own = transaction.changes;
    this.#waiting = this.#waiting.map(({ changes: theirs, by }) => {
      before = theirs.apply(before);
      const carried = theirs.map(own);
      own = own.map(theirs, true);
      return { changes: carried, by };
    });
    const isUnit = ['input.paste', 'input.drop', 'delete.cut', 'input.replace'].some((event) =>
      transaction.isUserEvent(event),
    );
    const { splices, repairs } = splicesOf(own, before);
    this.#isSending = true;
    try {
      this.#text.edit(splices, isUnit);
    } finally {
      this.#isSending = false;
    }
    if (repairs.length === 0) return;
    // Characters that no store can hold were replaced in the text.
    this.#wait({ changes: ChangeSet.of(repairs, own.newLength, '\n'), by: { isHere: true } });
    this.settle();
  }

  #receive({ splices, by }: TextChange): void {
    const view = this.#view;
    if (view === undefined || this.#isSending || splices.length === 0) return;
    const specs = splices.map(({ at, delete: count, insert }) => ({ from: at, to: at + count, insert }));
    const length = this.#waiting.at(-1)?.changes.newLength ?? view.state.doc.length;
    this.#wait({ changes: ChangeSet.of(specs, length, '\n'), by });
    // The reader's own undo is waited for.
    if (by.isHere) this.settle();
    else this.#schedule();
  }

  #wait(change: WaitingChange): void {
    const last = this.#waiting.at(-1);
    const isSame = last !== undefined && last.by.agent === change.by.agent && last.by.isHere === change.by.isHere;
    this.#waiting = isSame
      ? [...this.#waiting.slice(0, -1), { changes: last.changes.compose(change.changes), by: change.by }]
      : [...this.#waiting, change];
  }

  #schedule(): void {
    if (this.#stopTimer !== undefined) return;
    const due = Math.max(this.#shownAt + pace, this.#typedAt + frame) - this.#clock.now();
    if (due <= 0) return this.settle();
    this.#stopTimer = this.#clock.after(due, () => {
      this.#stopTimer = undefined;
      this.#schedule();
    });
  }
}

function transactionOf({ changes, by }: WaitingChange): TransactionSpec {
  const annotations = [fromText.of(by), Transaction.remote.of(true), Transaction.addToHistory.of(false)];
  if (!by.isHere) return { changes, annotations, filter: false };
  // The reader's own undo: the caret goes where it has happened.
  let end: number | undefined;
  changes.iterChanges((_from, _to, _start, stop) => (end = stop));
  const selection = end === undefined ? {} : { selection: { anchor: end }, scrollIntoView: true };
  return { changes, annotations, filter: false, ...selection };
}

/**
 * The splices that make the changes in a text. Whole surrogate pairs are replaced, also where the editor has replaced one half; characters
 * that no store can hold are told as `repairs` in the text after the changes.
 */
export function splicesOf(
  changes: ChangeSet,
  before: Text,
): { splices: TextSplice[]; repairs: { from: number; to: number; insert: string }[] } {
  const splices: TextSplice[] = [];
  const repairs: { from: number; to: number; insert: string }[] = [];
  changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    const [start, end] = [isInPair(before, fromA) ? fromA - 1 : fromA, isInPair(before, toA) ? toA + 1 : toA];
    const written =
      before.sliceString(start, fromA) + inserted.sliceString(0, undefined, '\n') + before.sliceString(toA, end);
    const insert = cleanText(written);
    splices.push({ at: start, delete: end - start, insert });
    if (insert !== written) {
      const [head, tail] = [fromA - start, end - toA];
      repairs.push({ from: fromB - head, to: toB + tail, insert });
    }
  });
  return { splices, repairs };
}

/** Returns true if a place is between the two halves of a character. */
function isInPair(text: Text, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const around = text.sliceString(at - 1, at + 1);
  return around.codePointAt(0) !== around.charCodeAt(0);
}
