import { EditorSelection, StateEffect, StateField } from '@codemirror/state';
import type { ChangeSet, EditorState, Extension, Text, Transaction } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin } from '@codemirror/view';
import type { DecorationSet, PluginValue, ViewUpdate } from '@codemirror/view';

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
  update(found, transaction) {
    const wanted = transaction.effects.find((effect) => effect.is(setFinding));
    if (wanted === undefined) return found && afterChange(found, transaction);
    const finding = wanted.value;
    if (finding === undefined || finding.words === '') return undefined;
    return { finding, places: placesOf(transaction.newDoc.toString(), finding) };
  },
});

function afterChange(found: Found, { docChanged, changes, newDoc }: Transaction): Found {
  if (!docChanged) return found;
  const { finding, places } = found;
  return { finding, places: placesAfter(places, changes, newDoc, finding) };
}

/** Returns the places of words in a text, without overlaps. */
export function placesOf(text: string, { words, isCaseSensitive }: Finding): number[] {
  const places: number[] = [];
  if (words === '') return places;
  const [where, what] = isCaseSensitive ? [text, words] : [folded(text), folded(words)];
  for (let at = where.indexOf(what); at >= 0 && places.length < most; at = where.indexOf(what, at + what.length)) {
    places.push(at);
  }
  return places;
}

/** Returns the places of words after a change, as `placesOf` finds them: only what is near the change is read. */
export function placesAfter(places: readonly number[], changes: ChangeSet, doc: Text, finding: Finding): number[] {
  if (changes.empty) return [...places];
  const { length } = finding.words;
  let [fromA, toA, fromB, toB] = [Infinity, 0, Infinity, 0];
  changes.iterChangedRanges((startA, endA, startB, endB) => {
    [fromA, fromB] = [Math.min(fromA, startA), Math.min(fromB, startB)];
    [toA, toB] = [endA, endB];
  });
  if (places.length >= most) return placesOf(doc.toString(), finding);
  const shift = toB - toA;
  const found = places.slice(0, countBelow(places, fromA - length + 1));
  let rest = countBelow(places, toA);
  let pos = Math.max(0, fromB - length + 1, (found.at(-1) ?? -length) + length);
  // Words that begin before this may be new; behind it they are those from before, unless a new one lies over them.
  let limit = toB;
  const dropped = places[rest - 1];
  if (dropped !== undefined && rest > found.length) limit = Math.max(limit, dropped + length + shift);
  while (pos < limit) {
    const [first] = placesOf(doc.sliceString(pos, limit + length - 1), finding);
    if (first === undefined) break;
    found.push(pos + first);
    pos += first + length;
    for (let next = places[rest]; next !== undefined && next + shift < pos; next = places[rest]) {
      limit = Math.max(limit, next + shift + length);
      rest += 1;
    }
  }
  for (; rest < places.length; rest += 1) found.push((places[rest] ?? 0) + shift);
  return found.length > most ? found.slice(0, most) : found;
}

/** Lowers the case of letters whose length stays the same: the places of others would be shifted. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  const even = lower.length === text.length ? lower : Array.from(text, evenlyLower).join('');
  // The only letter whose small form depends on what follows it.
  return even.replaceAll('ς', 'σ');
}

function evenlyLower(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.length === letter.length ? lower : letter;
}

/** Returns the number of places before an offset. */
function countBelow(places: readonly number[], offset: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Marks the places that are drawn: a text may have thousands. */
class Marks implements PluginValue {
  decorations: DecorationSet;
  readonly listeners = new Set<() => void>();

  constructor(view: EditorView) {
    this.decorations = marksOf(view);
  }

  update({ view, state, startState, docChanged, viewportChanged, selectionSet }: ViewUpdate): void {
    const isOther = state.field(field) !== startState.field(field);
    if (isOther || docChanged || viewportChanged || selectionSet) this.decorations = marksOf(view);
    if (isOther || selectionSet) for (const listener of this.listeners) listener();
  }
}

function marksOf({ state, viewport }: EditorView): DecorationSet {
  const found = state.field(field, false);
  if (found === undefined) return Decoration.none;
  const { places, finding } = found;
  const { length } = finding.words;
  const { from, to } = state.selection.main;
  const drawn = places.slice(countBelow(places, viewport.from - length), countBelow(places, viewport.to));
  return Decoration.set(drawn.map((at) => (at === from && at + length === to ? current : mark).range(at, at + length)));
}

const mark = Decoration.mark({ class: 'cm-found' });
const current = Decoration.mark({ class: 'cm-found cm-found-now' });

const marks = ViewPlugin.fromClass(Marks, { decorations: ({ decorations }) => decorations });

/** Marks what is looked for in a text. */
export const finding: Extension = [
  field,
  marks,
  EditorView.theme({
    '.cm-found': { backgroundColor: 'var(--mod-ground)', outline: '1px solid var(--mod-line)' },
    '.cm-found-now': { backgroundColor: 'var(--mod-line)' },
  }),
];

/** Looks for words from now on; `undefined` ends it. */
export function find(view: EditorView, wanted: Finding | undefined): void {
  view.dispatch({ effects: setFinding.of(wanted) });
}

/** Calls back when the places, or which of them is selected, may be others. Returns how to stop. */
export function followFound(view: EditorView, listener: () => void): () => void {
  const listeners = view.plugin(marks)?.listeners;
  listeners?.add(listener);
  return () => void listeners?.delete(listener);
}

/** Returns the number of places, and which of them is selected, from 1 on; 0 if none is. */
export function countFound({ state }: { readonly state: EditorState }): { count: number; at: number } {
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
