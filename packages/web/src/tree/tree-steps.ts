import type { OutlineRow } from './outline-rows.ts';

export type TreeStep = 'up' | 'down' | 'left' | 'right' | 'first' | 'last';

/** The result of a step: another line, or one to fold or open. */
export interface StepTaken {
  readonly id?: string;
  readonly toggle?: { readonly id: string; readonly isOpen: boolean };
}

/** A step through the lines of the tree, as trees are walked by keys everywhere. */
export function stepInTree(rows: readonly OutlineRow[], at: number, step: TreeStep): StepTaken {
  const row = rows[at];
  const to = (index: number): StepTaken => {
    const id = rows[Math.min(Math.max(index, 0), rows.length - 1)]?.id;
    return id === undefined ? {} : { id };
  };
  if (row === undefined) return to(step === 'last' ? rows.length - 1 : 0);
  switch (step) {
    case 'up':
      return to(at - 1);
    case 'down':
      return to(at + 1);
    case 'first':
      return to(0);
    case 'last':
      return to(rows.length - 1);
    case 'right':
      return row.isOpen === false ? { toggle: { id: row.id, isOpen: true } } : to(at + 1);
    case 'left':
      if (row.isOpen === true) return { toggle: { id: row.id, isOpen: false } };
      return to(branchHead(rows, at));
  }
}

/** The line that a line hangs on: the head of its branch, from there the message at which it parted. */
function branchHead(rows: readonly OutlineRow[], at: number): number {
  const level = rows[at]?.level ?? 1;
  const isHead = rows[at]?.guides.at(-1)?.kind !== 'none';
  for (let index = at - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row === undefined) break;
    const rowIsHead = row.guides.at(-1)?.kind !== 'none';
    if (isHead ? row.level < level || (row.level === level && !rowIsHead) : row.level < level) return index;
    if (!isHead && row.level === level && row.isOpen !== undefined) return index;
  }
  return 0;
}
