import type { TextSplice } from '../text/text-splice.ts';
import type { UndoUnit } from './undo-units.ts';

/** An edit as a log keeps it: what changed in the text, and the update for its text document. */
export interface TextEdit {
  readonly splices: TextSplice[];
  /** In base64. */
  readonly update: string;
}

/** An undo or redo as a log keeps it. Characters that the rule hid and shows again come back as copies. */
export interface UnitFlip {
  readonly unit: number;
  readonly splices: TextSplice[];
  /** Absent if nothing that can be seen has changed. */
  readonly update?: string;
  readonly copies: TextCopy[];
}

/** A run of characters that came back: the ids of the copies, and the ids under which they were first inserted. */
export type TextCopy = [client: number, clock: number, length: number, ofClient: number, ofClock: number];

/** The agent that edits, and the unit that the edit belongs to. */
export interface EditAuthor {
  readonly agent: string;
  readonly unit: string;
  /** True if nothing will be added to the unit later: it is this one edit. */
  readonly isWhole?: boolean;
}

/** An edit that came from a log. Those of early logs have splices and a client id, from which the rest follows. */
export type LoggedEdit = EditAuthor & { readonly splices: readonly TextSplice[]; readonly client: number } & {
  readonly update?: string | undefined;
};

/** The refusal of a client's update. */
export interface UpdateRefusal {
  readonly ok: false;
  /** The problem with the update, as the end of a sentence about it. */
  readonly problem: string;
}

/**
 * The text of one block that several clients can edit at once. It begins with a seed, whose characters have the ids
 * (client 1, offset), so that all replicas that begin with the same text have the same document.
 *
 * `plan…` returns what has to be logged for an edit and changes nothing; the document changes when it comes back by
 * `apply…`. A plan holds for the text as it is, so there is one for each change of a text.
 */
export interface BlockText {
  readonly text: string;
  readonly length: number;
  readonly units: readonly UndoUnit[];
  /** Converts a UTF-8 offset to UTF-16; `undefined` inside a code point or behind the end. */
  offsetOfByte(byte: number): number | undefined;
  /** True between the halves of a surrogate pair. */
  isInsidePair(offset: number): boolean;
  undoable(agent: string): UndoUnit | undefined;
  redoable(agent: string): UndoUnit | undefined;

  /** Replaces parts of the text. The offsets refer to the text before the edit. */
  planEdit(client: number, splices: readonly TextSplice[]): TextEdit;
  /** Adds to the end of the text, hidden characters included; or, for a unit that has inserted before, behind that. */
  planAppend(author: EditAuthor, client: number, text: string, behindUnit: boolean): TextEdit;
  /** Undoes an active unit, redoes one that is not. */
  planFlip(client: number, unit: number): UnitFlip;
  /**
   * Takes an update that a client made under its id, if it is valid. Its effect on the text is only known once it is done,
   * so this changes the document at once, and the edit must be logged before anything else happens.
   */
  takeUpdate(author: EditAuthor, client: number, update: Uint8Array): { ok: true; edit: TextEdit } | UpdateRefusal;

  /** Runs work that applies many things that are in the log: together they take a fraction of the time. */
  applyTogether(work: () => void): void;
  applyEdit(edit: LoggedEdit): void;
  applyFlip(flip: Omit<UnitFlip, 'splices'>): void;
  /**
   * Takes out the beginning of the text for good, up to an offset, including hidden characters, without a unit. The units
   * that these characters belong to are frozen.
   */
  cut(offset: number): void;
  /** Returns everything that a client needs to edit the text too: an update that holds the whole document. */
  encode(): Uint8Array;
}

/** A seed and its appends as undo sees them: runs of characters that units have inserted, in order. */
export interface SeedRun extends EditAuthor {
  readonly at: number;
  readonly length: number;
}
