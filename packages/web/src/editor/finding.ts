import { EditorSelection, StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';

export interface Finding {
  readonly words: string;
  readonly isCaseSensitive: boolean;
}

interface Found {
  readonly finding: Finding;
  /** The beginnings of the words in the text, in order. */
  readonly places: readonly number[];
}

/** More places than this are not listed. */
const most = 10_000;

const setFinding = StateEffect.define<Finding | undefined>();

const field = StateField.define<Found | undefined>({
  create: () => undefined,
  update(found, { effects, docChanged, state }) {
    let finding = found?.finding;
    let isOther = docChanged;
    for (const effect of effects) {
      if (!effect.is(setFinding)) continue;
      finding = effect.value;
      isOther = true;
    }
    if (finding === undefined || finding.words === '') return undefined;
    return isOther ? { finding, places: placesOf(state.doc.toString(), finding) } : found;
  },
  provide: (self) =>
    EditorView.decorations.compute([self, 'selection'], (state) => marksOf(state, state.field(self, false))),
});

/** Returns the places of words in a text, without overlaps. */
export function placesOf(text: string, { words, isCaseSensitive }: Finding): number[] {
  const places: number[] = [];
  if (words === '') return places;
  // Letters whose case has another length would shift the places: they are looked for as they are.
  const lower = text.toLowerCase();
  const isFolded = !isCaseSensitive && lower.length === text.length;
  const [where, what] = isFolded ? [lower, words.toLowerCase()] : [text, words];
  for (let at = where.indexOf(what); at >= 0 && places.length < most; at = where.indexOf(what, at + what.length)) {
    places.push(at);
  }
  return places;
}

function marksOf({ selection }: EditorState, found: Found | undefined): DecorationSet {
  if (found === undefined) return Decoration.none;
  const { finding, places } = found;
  const { length } = finding.words;
  const { from, to } = selection.main;
  return Decoration.set(
    places.map((at) => (at === from && at + length === to ? current : mark).range(at, at + length)),
  );
}

const mark = Decoration.mark({ class: 'cm-found' });
const current = Decoration.mark({ class: 'cm-found cm-found-now' });

/** Marks what is looked for in a text. */
export const finding: Extension = [
  field,
  EditorView.theme({
    '.cm-found': { backgroundColor: 'var(--mod-ground)', outline: '1px solid var(--mod-line)' },
    '.cm-found-now': { backgroundColor: 'var(--mod-line)' },
  }),
];

/** Looks for words from now on; `undefined` ends it. */
export function find(view: EditorView, wanted: Finding | undefined): void {
  view.dispatch({ effects: setFinding.of(wanted) });
}

/** Returns the number of places, and which of them is selected, from 1 on; 0 if none is. */
export function countFound({ state }: EditorView): { count: number; at: number } {
  const found = state.field(field, false);
  if (found === undefined) return { count: 0, at: 0 };
  const { finding: wanted, places } = found;
  const { from, to } = state.selection.main;
  const at = to - from === wanted.words.length ? places.indexOf(from) + 1 : 0;
  return { count: places.length, at };
}

/** Selects the next place, or the one before; behind the last comes the first. */
export function goToFound(view: EditorView, step: 1 | -1): void {
  const found = view.state.field(field, false);
  if (found === undefined || found.places.length === 0) return;
  const { places, finding: wanted } = found;
  const { from, to } = view.state.selection.main;
  const next =
    step === 1
      ? (places.find((place) => place >= to) ?? places[0] ?? 0)
      : (places.findLast((place) => place < from) ?? places.at(-1) ?? 0);
  const range = EditorSelection.range(next, next + wanted.words.length);
  view.dispatch({ selection: range, effects: EditorView.scrollIntoView(range, { y: 'center' }) });
}

/** Replaces the selected place and goes to the next one; selects one first if none is. */
export function replaceFound(view: EditorView, by: string): void {
  const { at } = countFound(view);
  if (at > 0) {
    const { from, to } = view.state.selection.main;
    view.dispatch({
      changes: { from, to, insert: by },
      selection: { anchor: from + by.length },
      userEvent: 'input.replace',
    });
  }
  goToFound(view, 1);
}

/** Replaces all places as one edit. Returns their number. */
export function replaceAllFound(view: EditorView, by: string): number {
  const found = view.state.field(field, false);
  if (found === undefined || view.state.readOnly) return 0;
  const { length } = found.finding.words;
  const changes = found.places.map((from) => ({ from, to: from + length, insert: by }));
  view.dispatch({ changes, userEvent: 'input.replace.all' });
  return changes.length;
}
