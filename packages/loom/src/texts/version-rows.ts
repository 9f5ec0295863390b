import type { ResultOf } from '@loom/kernel';

/** One version of a text, as `block.history` tells it. */
export type VersionEntry = ResultOf<'block.history'>[number];

/** Versions that are shown in one row: one of them, or the many that an answer grew by while it was streamed. */
export interface VersionRow {
  first: VersionEntry;
  last: VersionEntry;
  inserted: number;
  deleted: number;
}

/** Puts the versions together by which one turn only added to a text. */
export function foldVersions(versions: readonly VersionEntry[]): VersionRow[] {
  const rows: VersionRow[] = [];
  for (const entry of versions) {
    const row = rows.at(-1);
    if (row !== undefined && growsOn(row, entry)) {
      row.last = entry;
      row.inserted += entry.inserted;
    } else {
      rows.push({ first: entry, last: entry, inserted: entry.inserted, deleted: entry.deleted });
    }
  }
  return rows;
}

function growsOn({ first, last }: VersionRow, entry: VersionEntry): boolean {
  return entry.turn !== undefined && entry.turn === first.turn && isGrowth(first) && isGrowth(last) && isGrowth(entry);
}

function isGrowth({ what, deleted }: VersionEntry): boolean {
  return deleted === 0 && what.length === 1 && what[0] === 'text';
}
