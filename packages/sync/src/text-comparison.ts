import { diffTexts, formatDiff, planPatch, spliceText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';

/** Work and memory grow with the square of this; beyond it a passage counts as replaced whole. */
const maxDistance = 500;

/** Splices in the order of the text that make one text of another; none of them cuts a code point. */
export function compareTexts(before: string, after: string): TextSplice[] {
  return compareLines(before, after).flatMap(({ at, delete: count, insert }) =>
    comparePassages(before.slice(at, at + count), insert).map((splice) => ({ ...splice, at: splice.at + at })),
  );
}

/** One splice for each run of changed lines. */
function compareLines(before: string, after: string): TextSplice[] {
  const whole = [{ at: 0, delete: before.length, insert: after }];
  const patch = formatDiff('before', 'after', diffTexts(before, after));
  if (patch === undefined) return [];
  const plan = planPatch(before, patch);
  return plan.ok && spliceText(before, plan.splices) === after ? plan.splices : whole;
}

function comparePassages(before: string, after: string): TextSplice[] {
  const [old, young] = [Array.from(before), Array.from(after)];
  const edits = shortestEdits(old, young);
  if (edits === undefined) return [{ at: 0, delete: before.length, insert: after }];
  const splices: TextSplice[] = [];
  let at = 0;
  let isOpen = false;
  let [taken, made] = [0, 0];
  for (const edit of edits) {
    const last = splices.at(-1);
    if (edit === 'keep') {
      at += old[taken]?.length ?? 0;
    } else {
      const splice = isOpen && last !== undefined ? last : { at, delete: 0, insert: '' };
      if (splice !== last) splices.push(splice);
      if (edit === 'insert') splice.insert += young[made] ?? '';
      else {
        splice.delete += old[taken]?.length ?? 0;
        at += old[taken]?.length ?? 0;
      }
    }
    isOpen = edit !== 'keep';
    if (edit !== 'insert') taken += 1;
    if (edit !== 'delete') made += 1;
  }
  return splices;
}

type Edit = 'keep' | 'insert' | 'delete';

/** Myers' greedy search for the shortest way from one list to the other; none if it is too long. */
function shortestEdits(old: readonly string[], young: readonly string[]): Edit[] | undefined {
  /** How far each diagonal has come, for each number of edits. */
  const rounds: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let distance = 0; distance <= maxDistance; distance += 1) {
    const next = new Map<number, number>();
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let taken = stepsDown(reach, diagonal, distance) ? get(reach, diagonal + 1) : get(reach, diagonal - 1) + 1;
      while (taken < old.length && taken - diagonal < young.length && old[taken] === young[taken - diagonal])
        taken += 1;
      next.set(diagonal, taken);
      if (taken >= old.length && taken - diagonal >= young.length)
        return trace([...rounds, next], old.length, young.length);
    }
    rounds.push(next);
    reach = next;
  }
  return undefined;
}

function trace(rounds: readonly Map<number, number>[], oldLength: number, youngLength: number): Edit[] {
  const edits: Edit[] = [];
  let [taken, made] = [oldLength, youngLength];
  for (let distance = rounds.length - 1; distance > 0; distance -= 1) {
    const before = rounds[distance - 1] ?? new Map<number, number>();
    const diagonal = taken - made;
    const isInsert = stepsDown(before, diagonal, distance);
    const from = diagonal + (isInsert ? 1 : -1);
    const start = get(before, from);
    const end = isInsert ? start : start + 1;
    for (; taken > end; taken -= 1, made -= 1) edits.push('keep');
    edits.push(isInsert ? 'insert' : 'delete');
    [taken, made] = [start, start - from];
  }
  for (; taken > 0; taken -= 1) edits.push('keep');
  return edits.reverse();
}

function stepsDown(reach: ReadonlyMap<number, number>, diagonal: number, distance: number): boolean {
  return diagonal === -distance || (diagonal !== distance && get(reach, diagonal - 1) < get(reach, diagonal + 1));
}

function get(reach: ReadonlyMap<number, number>, diagonal: number): number {
  return reach.get(diagonal) ?? 0;
}
