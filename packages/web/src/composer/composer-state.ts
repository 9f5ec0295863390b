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
}

/** A message that is written again: what is sent begins a branch beside it. */
export interface Rewritten {
  readonly node: string;
  readonly parent: string;
}

/** Where a new conversation is written. */
const newPlace: DraftPlace = { root: 'new', tip: 'new', path: new Set(['new']) };

/** What is being written, at the end of the branch that is shown. It lives outside React: typing draws the field, and nothing else. */
export class ComposerState {
  readonly #drafts: ComposerDrafts;
  #place = newPlace;
  #stopFollowing = (): void => {};

  readonly draft = new Store<Draft>(emptyDraft);
  readonly rewritten = new Store<Rewritten | undefined>(undefined);
  /** Names of files that are on their way to the server. */
  readonly uploads = new Store<readonly string[]>([]);
  /** Something is said, and the server has not answered yet. */
  readonly isSending = new Store(false);

  constructor(storage: TextStorage, conversation: ReadableStore<OpenConversation | undefined>) {
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

  /** Takes what was written out of the field. */
  take(): Draft {
    const draft = this.draft.getSnapshot();
    this.set(emptyDraft);
    return draft;
  }

  /** Puts back what was taken, before what is written now. */
  giveBack(draft: Draft): void {
    this.set(joinDrafts(draft, this.draft.getSnapshot()));
  }

  #follow(conversation: OpenConversation | undefined): void {
    this.#stopFollowing();
    if (conversation === undefined) {
      this.#stopFollowing = (): void => {};
      this.#moveTo('new', ['new']);
      return;
    }
    const { root, path } = conversation;
    const move = (): void => this.#moveTo(root, [root, ...path.getSnapshot()]);
    this.#stopFollowing = path.subscribe(move);
    move();
  }

  /** A branch that grows takes the draft along; another branch has its own. */
  #moveTo(root: string, nodes: readonly string[]): void {
    const path = new Set(nodes);
    const goesOn = root === this.#place.root && path.has(this.#place.tip);
    this.#place = { root, tip: nodes.at(-1) ?? root, path };
    if (!goesOn) this.rewritten.set(undefined);
    if (goesOn && !isEmpty(this.draft.getSnapshot())) return;
    this.draft.set(this.#drafts.read(root, nodes));
  }
}
