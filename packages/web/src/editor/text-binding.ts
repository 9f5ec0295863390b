import { Annotation, ChangeSet, Transaction } from '@codemirror/state';
import type { Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { cleanText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import type { TextAuthor, TextChange } from '@loom/sync';
import type { EditedText } from './edited-text.ts';

/** Marks transactions that bring in changes of the text from outside this editor, with their author. */
export const fromText = Annotation.define<TextAuthor>();

/**
 * Keeps an editor and a text the same: what is typed becomes splices of the text, and what others change becomes
 * transactions. While an input method composes, changes of others wait, since they would end the composition.
 */
export class TextBinding {
  readonly #text: EditedText;
  readonly #stop: () => void;
  #view: EditorView | undefined;
  /** The changes that the text has and the editor does not show yet. */
  #waiting: ChangeSet | undefined;
  #isSending = false;

  /** `onState` is called when typing may have become possible or impossible, saved or unsaved. */
  constructor(text: EditedText, onState: () => void) {
    this.#text = text;
    this.#stop = text.follow((change) => {
      this.#receive(change);
      onState();
    });
  }

  /** Takes the transactions of an editor in, for its option `dispatchTransactions`. */
  readonly dispatch = (transactions: readonly Transaction[], view: EditorView): void => {
    this.#view = view;
    view.update(transactions);
    for (const transaction of transactions) {
      if (transaction.docChanged && transaction.annotation(fromText) === undefined) this.#send(transaction);
    }
  };

  /** Begins to show the changes of a text. The editor begins with what the text is now. */
  attach(view: EditorView): void {
    this.#view = view;
  }

  /** Shows the changes that have waited, unless the input method composes again. */
  settle(): void {
    const [view, changes] = [this.#view, this.#waiting];
    if (view === undefined || changes === undefined || view.compositionStarted) return;
    this.#waiting = undefined;
    this.#show(view, changes, { isHere: false });
  }

  close(): void {
    this.#stop();
    this.#view = undefined;
  }

  #send(transaction: Transaction): void {
    const { startState, changes } = transaction;
    const waiting = this.#waiting;
    const before = waiting === undefined ? startState.doc : waiting.apply(startState.doc);
    const own = waiting === undefined ? changes : changes.map(waiting, true);
    this.#waiting = waiting?.map(changes);
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
    const change = ChangeSet.of(repairs, own.newLength, '\n');
    this.#waiting = this.#waiting?.compose(change);
    if (this.#waiting === undefined && this.#view !== undefined) this.#show(this.#view, change, { isHere: true });
  }

  #receive({ splices, by }: TextChange): void {
    const view = this.#view;
    if (view === undefined || this.#isSending || splices.length === 0) return;
    const { length } = view.state.doc;
    const specs = splices.map(({ at, delete: count, insert }) => ({ from: at, to: at + count, insert }));
    const changes = ChangeSet.of(specs, this.#waiting?.newLength ?? length, '\n');
    if (this.#waiting !== undefined || view.compositionStarted) {
      this.#waiting = this.#waiting?.compose(changes) ?? changes;
      return;
    }
    this.#show(view, changes, by);
  }

  #show(view: EditorView, changes: ChangeSet, by: TextAuthor): void {
    const annotations = [fromText.of(by), Transaction.remote.of(true), Transaction.addToHistory.of(false)];
    if (!by.isHere) return view.dispatch({ changes, annotations, filter: false });
    // The reader's own undo: the caret goes where it has happened.
    let end: number | undefined;
    changes.iterChanges((_from, _to, _start, stop) => (end = stop));
    const selection = end === undefined ? {} : { selection: { anchor: end }, scrollIntoView: true };
    return view.dispatch({ changes, annotations, filter: false, ...selection });
  }
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
