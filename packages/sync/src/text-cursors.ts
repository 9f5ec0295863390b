import type { TextSplice } from '@loom/blocks';
import type { TextCursor } from '@loom/kernel';

/** The places of the others, one each. They move with the text around them. */
export class TextCursors {
  readonly #cursors = new Map<string, TextCursor>();

  get all(): ReadonlyMap<string, TextCursor> {
    return this.#cursors;
  }

  set(cursor: TextCursor): void {
    this.#cursors.set(cursor.agent, cursor);
  }

  /** Replaces the cursors of all agents. */
  reset(cursors: readonly TextCursor[]): void {
    this.#cursors.clear();
    for (const cursor of cursors) this.set(cursor);
  }

  forget(agent: string): void {
    this.#cursors.delete(agent);
  }

  /** Forgets those in blocks that are not there. */
  keepOnly(isThere: (block: string) => boolean): void {
    for (const [agent, { block }] of this.#cursors) if (!isThere(block)) this.#cursors.delete(agent);
  }

  /** A text was edited: cursors in an older version of it are carried along. */
  carry(block: string, version: number, splices: readonly TextSplice[]): void {
    for (const [agent, cursor] of this.#cursors) {
      if (cursor.block !== block || cursor.version >= version) continue;
      const [anchor, head] = [cursor.anchor, cursor.head].map((offset) => carryOffset(offset, splices));
      this.#cursors.set(agent, { ...cursor, version, anchor: anchor ?? 0, head: head ?? 0 });
    }
  }
}

/** Returns the place of an offset of a text after splices; at a place where something was inserted, behind that. */
function carryOffset(offset: number, splices: readonly TextSplice[]): number {
  let shift = 0;
  for (const { at, delete: count, insert } of splices) {
    if (at > offset) continue;
    shift += insert.length - Math.min(count, offset - at);
  }
  return offset + shift;
}
