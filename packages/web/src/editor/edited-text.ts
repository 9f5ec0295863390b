import type { TextSplice } from '@loom/blocks';
import type { Replica, TextChange } from '@loom/sync';

/** A text as an editor needs it: the one of a block in a replica. */
export interface EditedText {
  /** Returns the text with everything typed here. */
  readonly text: () => string;
  /** True if it can be typed into. */
  readonly isOpen: () => boolean;
  /** Asks for the right to type; until `isOpen` the text can be read. */
  readonly open: () => void;
  /** Gives the right back as soon as everything is saved. */
  readonly close: () => void;
  /** Changes the text, in UTF-16 offsets. `isUnit` if this alone is undone at once, as a pasted text is. */
  readonly edit: (splices: readonly TextSplice[], isUnit: boolean) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Calls back with each change of the text, and whenever its state has changed. Returns how to stop. */
  readonly follow: (listener: (change: TextChange) => void) => () => void;
  /** True if the server has everything that was typed here. */
  readonly isSaved: () => boolean;
  /** Shows the others where the reader is, in offsets of the text that the server has. */
  readonly showCursor: (anchor: number, head: number) => void;
  /** Returns the places that others have told; `undefined` while something typed here is unsaved, since they are places of the server's text. */
  readonly others: () => readonly PlaceOfOther[] | undefined;
  /** Calls back when others have come, moved or gone. Returns how to stop. */
  readonly followOthers: (listener: () => void) => () => void;
}

/** The selection of another agent in a text. */
export interface PlaceOfOther {
  readonly agent: string;
  readonly anchor: number;
  readonly head: number;
}

/** The blocks that have an editor, by replica: the last one that goes closes the block. */
const editors = new WeakMap<Replica, Map<string, number>>();

/** Returns the text of a block for an editor. */
export function editedText(replica: Replica, block: string): EditedText {
  const open = editors.get(replica) ?? new Map<string, number>();
  editors.set(replica, open);
  let isHeld = false;
  return {
    text: () => replica.text(block) ?? '',
    isOpen: () => replica.isOpen(block),
    open() {
      if (!isHeld) open.set(block, (open.get(block) ?? 0) + 1);
      isHeld = true;
      replica.open(block);
    },
    close() {
      if (!isHeld) return;
      isHeld = false;
      const left = (open.get(block) ?? 1) - 1;
      open.set(block, left);
      if (left > 0 || replica.close(block)) return;
      const stop = replica.followText(block, () => {
        if ((open.get(block) ?? 0) > 0) return stop();
        if (!replica.unsaved.includes(block)) stop();
        // Not while the replica is telling of it.
        return queueMicrotask(() => {
          if ((open.get(block) ?? 0) === 0) replica.close(block);
        });
      });
    },
    edit: (splices, isUnit) => replica.edit(block, splices, { isUnit }),
    undo: () => replica.undo(block),
    redo: () => replica.redo(block),
    follow: (listener) => replica.followText(block, listener),
    isSaved: () => replica.unsavedUnits(block) === 0,
    showCursor: (anchor, head) => replica.setCursor(block, anchor, head),
    others: () =>
      replica.unsavedUnits(block) > 0
        ? undefined
        : [...replica.cursors.values()].filter((cursor) => cursor.block === block),
    followOthers: (listener) => replica.watch.whole.subscribe(listener),
  };
}
