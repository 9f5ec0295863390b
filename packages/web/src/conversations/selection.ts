/** The conversations that are selected, and the row from which Shift selects on. It never changes; a new one takes its place. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly anchor: string | undefined;
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined };

/** Selects a row, or takes it out. */
export function toggled({ ids }: Selection, id: string): Selection {
  const now = new Set(ids);
  if (!now.delete(id)) now.add(id);
  return { ids: now, anchor: id };
}

/** Selects all rows from the anchor to this one, in the order of the list. */
export function extended(selection: Selection, id: string, order: readonly string[]): Selection {
  const from = selection.anchor === undefined ? -1 : order.indexOf(selection.anchor);
  const to = order.indexOf(id);
  if (from === -1 || to === -1) return toggled(selection, id);
  const between = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...selection.ids, ...between]), anchor: selection.anchor };
}

/** Says whether conversations are archived, are not, or some of both; one that is not known counts as not archived. */
export function archivingOf(areArchived: readonly (boolean | undefined)[]): 'archived' | 'present' | 'both' {
  const archived = areArchived.filter((is) => is === true).length;
  return archived === 0 ? 'present' : archived === areArchived.length ? 'archived' : 'both';
}
