import { StateEffect, StateField } from '@codemirror/state';
import type { EditorState, Extension, Transaction } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType } from '@codemirror/view';
import type { DecorationSet, PluginValue, ViewUpdate } from '@codemirror/view';
import type { ReadableStore } from '../stores/store.ts';
import type { EditedText, PlaceOfOther } from './edited-text.ts';
import { fromText } from './text-binding.ts';

export interface CaretsOptions {
  /** The reader's own agent name: it has no caret of another. */
  readonly reader: string;
  readonly nameOf: (agent: string) => string;
  /** One of the colors of people and models, from 1 to 3. */
  readonly colorOf: (agent: string) => number;
  /** True while the reader wants to see none. */
  readonly isQuiet: ReadableStore<boolean>;
}

/** Another agent's place in this editor. */
export interface CaretOfOther extends PlaceOfOther {
  /** True if the agent told the place; else it is where the agent wrote last. */
  readonly isTold: boolean;
  /** The number of the agent's moves: its name is shown after each time. */
  readonly moves: number;
}

/** The time after which the place of an agent that tells none is forgotten, in milliseconds. */
const forgetting = 10_000;

const tell = StateEffect.define<readonly PlaceOfOther[]>();
const forget = StateEffect.define<Pick<CaretOfOther, 'agent' | 'moves'>>();
const redraw = StateEffect.define();

/** Returns the carets of others after a transaction of the editor. */
export function caretsAfter(carets: readonly CaretOfOther[], transaction: Transaction): readonly CaretOfOther[] {
  let next = carets;
  const { changes, docChanged, effects } = transaction;
  const length = transaction.newDoc.length;
  if (docChanged) {
    next = next.map((caret) => ({
      ...caret,
      anchor: changes.mapPos(caret.anchor, 1),
      head: changes.mapPos(caret.head, 1),
    }));
    const by = transaction.annotation(fromText);
    if (by?.agent !== undefined && !by.isHere) next = written(next, by.agent, transaction);
  }
  for (const effect of effects) {
    if (effect.is(tell)) next = told(next, effect.value, length);
    if (effect.is(forget)) {
      const { agent, moves } = effect.value;
      next = next.filter((caret) => caret.agent !== agent || caret.isTold || caret.moves !== moves);
    }
  }
  return next;
}

/** Moves the caret of an agent behind what it wrote: where that is whole lines, before the break that ends them. */
function written(carets: readonly CaretOfOther[], agent: string, { changes }: Transaction): readonly CaretOfOther[] {
  let end = 0;
  changes.iterChanges((_from, _to, start, stop, inserted) => {
    const endsLine = stop > start && inserted.sliceString(inserted.length - 1) === '\n';
    end = endsLine ? stop - 1 : stop;
  });
  const before = carets.find((caret) => caret.agent === agent);
  const caret = { agent, anchor: end, head: end, isTold: before?.isTold ?? false, moves: (before?.moves ?? 0) + 1 };
  return [...carets.filter((other) => other.agent !== agent), caret];
}

/** Takes over the places that agents have told. Those that told one before and tell none now are gone. */
function told(
  carets: readonly CaretOfOther[],
  places: readonly PlaceOfOther[],
  length: number,
): readonly CaretOfOther[] {
  const writers = carets.filter(({ agent, isTold }) => !isTold && !places.some((place) => place.agent === agent));
  return [
    ...writers,
    ...places.map((place) => {
      const { agent } = place;
      const [anchor, head] = [Math.min(place.anchor, length), Math.min(place.head, length)];
      const before = carets.find((caret) => caret.agent === agent);
      const isThere = before?.anchor === anchor && before.head === head;
      return { agent, anchor, head, isTold: true, moves: (before?.moves ?? 0) + (isThere ? 0 : 1) };
    }),
  ];
}

/** Shows where others are in the text, and what they have selected: people by the places they tell, models by what they write. */
export function caretsOfOthers(text: EditedText, options: CaretsOptions): Extension {
  const { reader, isQuiet } = options;
  const field = StateField.define<readonly CaretOfOther[]>({
    create: () => [],
    update: (carets, transaction) => {
      const next = caretsAfter(carets, transaction);
      return next === carets ? carets : next.filter(({ agent }) => agent !== reader);
    },
    provide: (self) => EditorView.decorations.from(self, (carets) => (state) => draw(state, carets)),
  });
  const draw = ({ state }: EditorView, carets: readonly CaretOfOther[]): DecorationSet =>
    isQuiet.getSnapshot() ? Decoration.none : decorations(state, carets, options);
  return [field, ViewPlugin.define((view) => new Places(view, text, field, isQuiet)), caretTheme];
}

function decorations(state: EditorState, carets: readonly CaretOfOther[], options: CaretsOptions): DecorationSet {
  const { nameOf, colorOf } = options;
  const ranges = carets.flatMap((caret) => {
    const { agent, anchor, head, moves } = caret;
    const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
    const color = colorOf(agent);
    // Above the first line, and behind the end of the text, there is no room for a name.
    const isBeside = head === state.doc.length || state.doc.lineAt(head).number === 1;
    const widget = new Caret(nameOf(agent), color, moves, isBeside);
    const point = Decoration.widget({ widget, side: 1 }).range(head);
    return from === to ? [point] : [Decoration.mark({ class: `cm-selected-${color}` }).range(from, to), point];
  });
  return Decoration.set(ranges, true);
}

class Caret extends WidgetType {
  readonly name: string;
  readonly color: number;
  readonly moves: number;
  readonly isBeside: boolean;

  constructor(name: string, color: number, moves: number, isBeside: boolean) {
    super();
    this.name = name;
    this.color = color;
    this.moves = moves;
    this.isBeside = isBeside;
  }

  override eq(other: Caret): boolean {
    const { name, color, moves, isBeside } = this;
    return name === other.name && color === other.color && moves === other.moves && isBeside === other.isBeside;
  }

  override toDOM(): HTMLElement {
    const caret = document.createElement('span');
    caret.className = `cm-caret-of-other cm-who-${this.color}`;
    // The bar above the text says who is here; in the middle of a text that is read aloud it would disturb.
    caret.setAttribute('aria-hidden', 'true');
    const name = document.createElement('span');
    name.className = this.isBeside ? 'cm-name-of-other cm-name-beside' : 'cm-name-of-other';
    name.textContent = this.name;
    caret.append(name);
    return caret;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Brings the places that others tell into the editor, and forgets those of agents that have stopped writing. */
class Places implements PluginValue {
  readonly #view: EditorView;
  readonly #text: EditedText;
  readonly #field: StateField<readonly CaretOfOther[]>;
  readonly #stops: (() => void)[];
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #known: readonly PlaceOfOther[] = [];
  #isDue = false;

  constructor(
    view: EditorView,
    text: EditedText,
    field: StateField<readonly CaretOfOther[]>,
    isQuiet: ReadableStore<boolean>,
  ) {
    this.#view = view;
    this.#text = text;
    this.#field = field;
    this.#stops = [
      text.followOthers(() => this.#schedule()),
      text.follow(() => this.#schedule()),
      isQuiet.subscribe(() => view.dispatch({ effects: redraw.of(null) })),
    ];
    this.#schedule();
  }

  update(update: ViewUpdate): void {
    // Places that others told while the editor was behind the text are looked at now.
    if (update.transactions.some((transaction) => transaction.annotation(fromText) !== undefined)) this.#schedule();
    const [before, now] = [update.startState.field(this.#field), update.state.field(this.#field)];
    if (before === now) return;
    for (const { agent, isTold, moves } of now) {
      const isSame = before.some((caret) => caret.agent === agent && caret.moves === moves);
      if (isTold || isSame) continue;
      clearTimeout(this.#timers.get(agent));
      const end = (): void => this.#view.dispatch({ effects: forget.of({ agent, moves }) });
      this.#timers.set(agent, setTimeout(end, forgetting));
    }
  }

  destroy(): void {
    for (const stop of this.#stops) stop();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#isDue = true;
  }

  /** Looks once the editor has taken in what it is told of at the moment. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      if (!this.#isDue || !this.#view.dom.isConnected) return;
      this.#isDue = false;
      const places = this.#text.others();
      // A composition is shown before the text knows of it: places would be wrong, and are looked at again when it has ended.
      if (places === undefined || this.#view.composing || isSameList(places, this.#known)) return;
      this.#known = places;
      this.#view.dispatch({ effects: tell.of(places) });
    });
  }
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

const colors: Record<string, Record<string, string>> = {};
for (const color of [1, 2, 3]) {
  colors[`.cm-who-${color}`] = { borderLeftColor: `var(--who-${color}-ink)` };
  colors[`.cm-who-${color} .cm-name-of-other`] = { backgroundColor: `var(--who-${color}-ink)` };
  colors[`.cm-selected-${color}`] = { backgroundColor: `var(--who-${color})` };
}

const caretTheme = EditorView.theme({
  '.cm-caret-of-other': {
    position: 'relative',
    marginLeft: '-1px',
    marginRight: '-1px',
    borderLeft: '2px solid',
    pointerEvents: 'none',
  },
  '.cm-name-of-other': {
    position: 'absolute',
    zIndex: '2',
    bottom: '100%',
    left: '-2px',
    padding: '0 5px',
    borderRadius: '3px 3px 3px 0',
    color: 'var(--page)',
    fontFamily: 'var(--sans)',
    fontSize: '11px',
    fontWeight: '500',
    lineHeight: '16px',
    whiteSpace: 'nowrap',
    animation: 'cm-name-goes 2.2s forwards',
  },
  '.cm-name-beside': { bottom: 'auto', top: '2px', left: '4px', borderRadius: '3px' },
  '@keyframes cm-name-goes': { '0%, 90%': { opacity: '1' }, '100%': { opacity: '0', visibility: 'hidden' } },
  ...colors,
});
