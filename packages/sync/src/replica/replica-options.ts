import type { TextSplice } from '@loom/blocks';
import type { Clock, FeedEvent, Ids, Refusal } from '@loom/kernel';
import type { Scope } from '../frames.ts';
import type { EditedTexts, TextsHost } from './edited-texts.ts';
import type { TextKeeper } from './kept-text.ts';

export interface ReplicaOptions {
  root: string;
  /** Default: everything that can be seen. */
  scope?: Scope;
  /**
   * The part of the scope to load: all of it (the default), or the part that a reader of one branch sees first, with the
   * outline of the rest; further nodes are asked for by `want`.
   */
  load?: 'all' | 'branch';
  /** The end of the branch that is loaded first. Default: the one where something happened last. */
  leaf?: string;
  clock: Pick<Clock, 'now'>;
  /** Ids that no other client of the same agent makes: requests are known by them. */
  ids: Ids;
  /** A replica that only reads needs none, and those who only read need not load it. */
  createTexts?: EditingMeans['createTexts'];
  keeper?: EditingMeans['keeper'];
  /** Called when something typed here could not be kept, with everything that is needed to offer it to its author. */
  onLost: (edit: LostEdit) => void;
  /** Called after something has changed: by others, by the server's answer, or here. */
  onChange?: (what: ReplicaChange) => void;
}

/** The parts that editing needs and reading does not: `Replica.allowEditing` takes them later. */
export interface EditingMeans {
  /** Makes what edits the texts: `editTexts` of the entry `editing`. */
  createTexts: (host: TextsHost) => EditedTexts;
  /** Gets unconfirmed typing, for `restore` of a replica that comes after this one. */
  keeper?: TextKeeper;
}

/** An edit that is not in the conversation: the text as it was here, its base, and the reason. */
export interface LostEdit {
  block: string;
  base: string;
  text: string;
  refusal: Refusal;
}

export type ReplicaChange =
  /** Everything may be different. */
  | { type: 'snapshot' }
  | { type: 'change'; seq: number; agent: string; turn?: string; events: readonly FeedEvent[] }
  /** More of the earlier nodes have been loaded, or the outline has grown. */
  | { type: 'loaded' }
  | TextChange
  /** The agents that are here, or their places, have changed. */
  | { type: 'presence' }
  | { type: 'status' };

/**
 * The text of a block that is edited here, or its state has changed: open or not, typing saved or not. From `open` to `close`
 * the splices of these changes, applied one after the other, turn the former text into `text(block)`.
 */
export interface TextChange {
  readonly type: 'text';
  readonly block: string;
  readonly splices: readonly TextSplice[];
  readonly by: TextAuthor;
}

export interface TextAuthor {
  /** Absent where several may have done it: the text was read anew, or the typing was merged into another one. */
  readonly agent?: string;
  /** Typed, undone or redone at this client. */
  readonly isHere: boolean;
}

/** `refused`: the server has no such conversation; `refusal` says why. */
export type ReplicaStatus = 'offline' | 'joining' | 'live' | 'refused';
