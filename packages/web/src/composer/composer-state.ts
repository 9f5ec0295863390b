import type { OpenConversation } from '../conversation/open-conversation.ts';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import { emptyDraft, isEmpty, joinDrafts } from './attaching/attachments.ts';
import type { Attachment, Draft } from './attaching/attachments.ts';
import { ComposerDrafts } from './composer-drafts.ts';

/** The end of a branch. */
interface DraftPlace {
  readonly root: string;
  readonly tip: string;
  /** The nodes down to the tip, which is one of them. */
  readonly path: ReadonlySet<string>;
  /** The start of a new branch, whose tip stands for its first message: the node before it, and the messages that follow that already. */
  readonly end?: { readonly node: string; readonly others: readonly string[] };
}

/** The part of a conversation that ties a draft to a place in it. */
export type WrittenIn = Pick<OpenConversation, 'root' | 'path' | 'shape' | 'openEnd'>;

/** A message being rewritten: the new text begins a branch beside it. */
export interface Rewritten {
  readonly node: string;
  readonly parent: string;
}

/** The place of the draft of a new conversation. */
const newPlace: DraftPlace = { root: 'new', tip: 'new', path: new Set(['new']) };

/** The draft at the end of the branch on display. It lives outside React: typing draws the field, and nothing else. */
export class ComposerState {
  readonly #drafts: ComposerDrafts;
  #place = newPlace;
  #stopFollowing = (): void => {};

  readonly draft = new Store<Draft>(emptyDraft);
  readonly rewritten = new Store<Rewritten | undefined>(undefined);
  /** Names of files that are on their way to the server. */
  readonly uploads = new Store<readonly string[]>([]);
  /** True while a message is sent, and the server has not answered yet. */
  readonly isSending = new Store(false);

  constructor(storage: TextStorage, conversation: ReadableStore<WrittenIn | undefined>) {
    this.#drafts = new ComposerDrafts(storage);
    const follow = (): void => this.#follow(conversation.getSnapshot());
    conversation.subscribe(follow);
    follow();
  }

  readonly write = (text: string): void => this.set({ ...this.draft.getSnapshot(), text });

  set(draft: Draft): void {
    this.draft.set(draft);
    const { root, tip, path } = this.#place;
    this.#drafts.keep(root, tip, path, draft);
  }

  attach(...added: Attachment[]): void {
    const { text, attachments } = this.draft.getSnapshot();
    this.set({ text, attachments: [...attachments, ...added] });
  }

  detach(id: string): void {
    const { text, attachments } = this.draft.getSnapshot();
    this.set({ text, attachments: attachments.filter((attached) => attached.id !== id) });
  }

  rewrite(message: Rewritten, draft: Draft): void {
    this.rewritten.set(message);
    this.set(draft);
  }

  /** The message stays as it is. */
  readonly leaveRewriting = (): void => {
    this.rewritten.set(undefined);
    this.set(emptyDraft);
  };

  /** Takes the draft out of the field; with `early`, which it was a moment ago, only that, if it has only grown since. */
  take(early?: Draft): Draft {
    const draft = this.draft.getSnapshot();
    const rest = early !== undefined && draft.text.startsWith(early.text) ? draft.text.slice(early.text.length) : '';
    this.set({ ...emptyDraft, text: rest });
    return { ...draft, text: draft.text.slice(0, draft.text.length - rest.length) };
  }

  /** Puts a draft back, before the present text. */
  giveBack(draft: Draft): void {
    this.set(joinDrafts(draft, this.draft.getSnapshot()));
  }

  #follow(conversation: WrittenIn | undefined): void {
    this.#stopFollowing();
    if (conversation === undefined) {
      this.#stopFollowing = (): void => {};
      this.#moveTo('new', ['new']);
      return;
    }
    const { root, path, shape } = conversation;
    const move = (): void => {
      const node = conversation.openEnd;
      const nodes = [root, ...path.getSnapshot()];
      if (node === undefined) this.#moveTo(root, nodes);
      else this.#moveTo(root, [openTip(node)], { node, others: shape.getSnapshot().children.get(node) ?? [] });
    };
    this.#stopFollowing = path.subscribe(move);
    move();
  }

  /** A branch that grows takes the draft along; another branch has its own, also one that begins in the middle of this one. */
  #moveTo(root: string, nodes: readonly string[], end?: DraftPlace['end']): void {
    const { root: formerRoot, tip, end: formerEnd } = this.#place;
    const hasGrown = formerRoot === root && formerEnd !== undefined && isNewBelow(nodes, formerEnd);
    // A draft for the first message of a new branch follows that message now.
    const path = new Set(hasGrown ? [...nodes, tip] : nodes);
    const goesOn = root === formerRoot && path.has(tip);
    const isLoaded = goesOn && tip === root && nodes.length > 1;
    this.#place = { root, tip: nodes.at(-1) ?? root, path, ...(end === undefined ? {} : { end }) };
    if (!goesOn) this.rewritten.set(undefined);
    const draft = this.draft.getSnapshot();
    if (!goesOn || isEmpty(draft)) this.draft.set(this.#drafts.read(root, nodes));
    // Typed before the draft of an earlier visit was loaded.
    else if (isLoaded) this.set(joinDrafts(this.#drafts.read(root, nodes.slice(1)), draft));
    else if (hasGrown) this.set(draft);
  }
}

/** Returns the placeholder for the first message of a new branch, as long as there is none. */
function openTip(node: string): string {
  return `${node} new`;
}

/** Returns true if a path goes on from the start of a new branch by a message that was not there then. */
function isNewBelow(nodes: readonly string[], { node, others }: NonNullable<DraftPlace['end']>): boolean {
  const next = nodes[nodes.indexOf(node) + 1];
  return nodes.includes(node) && next !== undefined && !others.includes(next);
}
