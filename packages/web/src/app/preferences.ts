import { z } from 'zod';
import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';
import type { BoardLayout } from '../board/board-host.ts';
import type { Grouping } from '../conversations/filters.ts';
import { installHint } from '../phone/install.ts';
import type { InstallHintState } from '../phone/install.ts';
import { hideableKinds } from '../blocks/kinds/block-kinds.ts';
import type { HideableKind } from '../blocks/kinds/block-kinds.ts';

const folds = z.record(z.string(), z.boolean());

/** The layout of a diff: in one column, or with its sides beside each other. */
export type DiffView = 'unified' | 'split';
export type Theme = 'system' | 'light' | 'dark';

/** The preferences of the reader of this browser; they last until the next visit. */
export class Preferences {
  readonly theme: Store<Theme>;
  readonly hasInspector: Store<boolean>;
  readonly hasLetterKeys: Store<boolean>;
  /** True if the reader wants to be told of turns that end or wait. */
  readonly hasNotifications: Store<boolean>;
  readonly installHint: Store<InstallHintState>;
  /** The kinds of blocks that are not shown. */
  readonly hidden: Store<readonly HideableKind[]>;
  readonly diffView: Store<DiffView>;
  /** The groups of the navigator that the reader has opened or folded. */
  readonly folds: Store<Readonly<Record<string, boolean>>>;
  /** The grouping of the page of all conversations. */
  readonly grouping: Store<Grouping>;
  /** The layout of the board. */
  readonly boardLayout: Store<BoardLayout>;
  readonly isShown: ReadableStore<(kind: HideableKind) => boolean>;
  readonly #hasInspectorBeside: Store<boolean>;
  #isWide: boolean;

  constructor(storage: TextStorage, { isWide = true }: { isWide?: boolean } = {}) {
    this.#isWide = isWide;
    const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);
    this.theme = keptStore<Theme>(storage, 'loom-theme', {
      read: (value) => (value === 'light' || value === 'dark' ? value : undefined),
      otherwise: 'system',
    });
    this.#hasInspectorBeside = keptStore(storage, 'loom-inspector', { read: flag, otherwise: true });
    this.hasInspector = new Store(isWide && this.#hasInspectorBeside.getSnapshot());
    this.hasInspector.subscribe(() => {
      if (this.#isWide) this.#hasInspectorBeside.set(this.hasInspector.getSnapshot());
    });
    this.hasLetterKeys = keptStore(storage, 'loom-letter-keys', { read: flag, otherwise: true });
    this.hasNotifications = keptStore(storage, 'loom-notifications', { read: flag, otherwise: false });
    this.installHint = installHint(storage);
    this.hidden = keptStore<readonly HideableKind[]>(storage, 'loom-hidden-kinds', {
      read: (value) => (Array.isArray(value) ? hideableKinds.filter((kind) => value.includes(kind)) : undefined),
      otherwise: [],
    });
    this.diffView = keptStore<DiffView>(storage, 'loom-diff', {
      read: (value) => (value === 'split' ? value : undefined),
      otherwise: 'unified',
    });
    this.boardLayout = keptStore<BoardLayout>(storage, 'loom-board', {
      read: (value) => (value === 'columns' ? value : undefined),
      otherwise: 'list',
    });
    this.folds = keptStore<Readonly<Record<string, boolean>>>(storage, 'loom-folds', {
      read: (value) => folds.safeParse(value).data,
      otherwise: {},
    });
    this.grouping = keptStore<Grouping>(storage, 'loom-grouping', {
      read: (value) => (value === 'date' || value === 'cost' ? value : undefined),
      otherwise: 'project',
    });
    const isShown = new Store(shownExcept(this.hidden.getSnapshot()));
    this.hidden.subscribe(() => isShown.set(shownExcept(this.hidden.getSnapshot())));
    this.isShown = isShown;
  }

  /** Adapts to the width of the window: where the inspector would cover the conversation it begins closed, and its state is not kept. */
  fit(isWide: boolean): void {
    this.#isWide = isWide;
    this.hasInspector.set(isWide && this.#hasInspectorBeside.getSnapshot());
  }
}

function shownExcept(hidden: readonly HideableKind[]): (kind: HideableKind) => boolean {
  return (kind) => !hidden.includes(kind);
}
