import type { ResultOf } from '@loom/kernel';
import type { EditedBlock } from './message-edit.ts';
import { Store } from '../stores/store.ts';
import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';

export const inspectorTabs = ['turns', 'tree', 'changes', 'block', 'context', 'history', 'raw'] as const;
export type InspectorTab = (typeof inspectorTabs)[number];

/** The thing to be named in a small dialog. */
export interface Naming {
  readonly what: 'bookmark' | 'message' | 'conversation';
  /** The message, or the conversation itself. */
  readonly id: string;
}

/** An action the reader wants, and the facts to know before it. */
export interface Wish {
  readonly title: string;
  readonly words: string;
  readonly action: string;
  readonly run: () => void;
}

/** A dialog that is loaded when it is opened. */
export type LateDialog =
  /** Shares a branch of a conversation; without a message the most recent one. */
  | { readonly what: 'share'; readonly root: string; readonly node?: string }
  /** Lists secrets of one conversation or of all. */
  | { readonly what: 'secrets'; readonly root?: string }
  /** Says who wrote a line of a file; without a path its reader names one. */
  | { readonly what: 'blame'; readonly path?: string; readonly line?: number; readonly text?: string }
  /** Shows the settings of a project. */
  | { readonly what: 'project'; readonly project: string; readonly name: string }
  /** Shows the system prompt of a conversation. */
  | { readonly what: 'system-prompt'; readonly root: string };

/** A row that has to come into sight. */
export interface Reveal {
  readonly node: string;
  /** Default: the beginning of the message. */
  readonly block?: string;
  readonly how: 'nearest' | 'center';
  /** True if the keyboard focus goes there as well. */
  readonly takesFocus?: boolean;
  /** The words that were found in the block, where it was searched for. */
  readonly match?: string;
}

/** A block that was looked for and is in sight now. */
export interface Found {
  readonly node: string;
  readonly block: string;
  /** Empty where the block as a whole was meant. */
  readonly match: string;
}

/** The reader's work on a conversation: the message being edited, the marked ones, the view of the inspector. */
export class Workspace {
  readonly tab: Store<InspectorTab>;
  /** The block being edited in place. */
  readonly editing = new Store<EditedBlock | undefined>(undefined);
  /** The messages whose branches are to be compared; at most two. */
  readonly marked = new Store<readonly string[]>([]);
  /** The block whose authors are shown. */
  readonly authorship = new Store<string | undefined>(undefined);
  /** The action to confirm before it is done. */
  readonly wish = new Store<Wish | undefined>(undefined);
  readonly naming = new Store<Naming | undefined>(undefined);
  readonly dialog = new Store<LateDialog | undefined>(undefined);
  readonly reveal = new Store<Reveal | undefined>(undefined);
  /** The last search result jumped to. */
  readonly found = new Store<Found | undefined>(undefined);
  /** The block whose row takes the focus as soon as it is drawn. */
  readonly focus = new Store<string | undefined>(undefined);
  /** The cost of saving the edited text in place. */
  readonly costs = new Store<ResultOf<'context.cost'> | undefined>(undefined);
  /** True while the inspector shows the exact request that would be sent next. */
  readonly hasRequest = new Store(false);
  readonly hasShortcuts = new Store(false);

  constructor(storage: TextStorage) {
    this.tab = keptStore<InspectorTab>(storage, 'loom-inspector-tab', {
      read: (value) => inspectorTabs.find((tab) => tab === value),
      otherwise: 'tree',
    });
  }

  /** Marks a message to compare its branch, or takes the mark away. The older of two marks makes room for a third. */
  mark(node: string): readonly string[] {
    this.marked.update((marked) =>
      marked.includes(node) ? marked.filter((other) => other !== node) : [...marked.slice(-1), node],
    );
    return this.marked.getSnapshot();
  }

  /** Forgets everything that belonged to one conversation before another one is opened. */
  leave(): void {
    this.editing.set(undefined);
    this.costs.set(undefined);
    this.marked.set([]);
    this.naming.set(undefined);
    this.authorship.set(undefined);
    this.wish.set(undefined);
    this.reveal.set(undefined);
    this.focus.set(undefined);
    this.found.set(undefined);
  }
}
