import { StateEffect, StateField } from '@codemirror/state';
import type { Extension, Range, Transaction } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';
import { fromText } from './text-binding.ts';

/** A piece of a text and the agent that wrote it. */
export interface TintedPiece {
  readonly agent: string;
  readonly text: string;
}

const setTint = StateEffect.define<readonly TintedPiece[] | undefined>();

interface TintOptions {
  readonly reader: string;
  readonly colorOf: (agent: string) => number;
}

/** Colors a text by its authors while that is wanted; what is written meanwhile has the color of its author at once. */
export function authorshipTint({ reader, colorOf }: TintOptions): Extension {
  const markOf = (agent: string, from: number, to: number): Range<Decoration> =>
    Decoration.mark({ class: `cm-written-by-${colorOf(agent)}` }).range(from, to);
  const added = (transaction: Transaction): Range<Decoration>[] => {
    const by = transaction.annotation(fromText);
    const agent = by === undefined || by.isHere ? reader : by.agent;
    const ranges: Range<Decoration>[] = [];
    transaction.changes.iterChanges((_from, _to, start, end) => {
      if (agent !== undefined && end > start) ranges.push(markOf(agent, start, end));
    });
    return ranges;
  };
  const field = StateField.define<DecorationSet | undefined>({
    create: () => undefined,
    update(tint, transaction) {
      let next = tint;
      if (next !== undefined && transaction.docChanged) {
        next = next.map(transaction.changes).update({ add: added(transaction) });
      }
      for (const effect of transaction.effects) {
        if (effect.is(setTint)) next = effect.value && tintOf(effect.value, transaction.newDoc.length);
      }
      return next;
    },
    provide: (self) => EditorView.decorations.from(self, (tint) => tint ?? Decoration.none),
  });
  const tintOf = (pieces: readonly TintedPiece[], length: number): DecorationSet => {
    const ranges: Range<Decoration>[] = [];
    let at = 0;
    for (const { agent, text } of pieces) {
      const end = Math.min(length, at + text.length);
      if (end > at) ranges.push(markOf(agent, at, end));
      at = end;
    }
    return Decoration.set(ranges);
  };
  return [field, tintTheme];
}

/** Shows who wrote what, from the pieces of the text as it is now; `undefined` shows it no longer. */
export function showAuthors(view: EditorView, pieces: readonly TintedPiece[] | undefined): void {
  view.dispatch({ effects: setTint.of(pieces) });
}

const tintTheme = EditorView.theme(
  Object.fromEntries([1, 2, 3].map((color) => [`.cm-written-by-${color}`, { backgroundColor: `var(--who-${color})` }])),
);
