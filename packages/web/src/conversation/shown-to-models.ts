import type { NodeState } from '@loom/kernel';

type Marked = Pick<NodeState, 'id' | 'exclude' | 'context_start'>;

/** The parts of a branch that models do not see. */
export interface NotShown {
  /** Blocks that are left out, with the messages that say so. */
  readonly blocks: ReadonlyMap<string, readonly string[]>;
  /** The message that the context begins with, if that is not the first one. */
  readonly start: string | undefined;
}

export function notShown(path: readonly Marked[]): NotShown {
  const blocks = new Map<string, string[]>();
  for (const { id, exclude = [] } of path) {
    for (const block of exclude) blocks.set(block, [...(blocks.get(block) ?? []), id]);
  }
  return { blocks, start: path.findLast(({ context_start: isStart }) => isStart === true)?.id };
}

/** Returns the marks that leave a block out, or include it again: each message with the blocks that it leaves out then. */
export function marksFor(path: readonly Marked[], block: string): { node: string; exclude: string[] | null }[] {
  const saying = path.filter(({ exclude = [] }) => exclude.includes(block));
  const tip = path.at(-1);
  if (saying.length === 0) {
    return tip === undefined ? [] : [{ node: tip.id, exclude: [...(tip.exclude ?? []), block] }];
  }
  return saying.map(({ id, exclude = [] }) => {
    const rest = exclude.filter((other) => other !== block);
    return { node: id, exclude: rest.length === 0 ? null : rest };
  });
}

/** Returns true if a message of the branch is above the start of the context. */
export function isBeforeStart(path: readonly string[], start: string | undefined, node: string): boolean {
  return start !== undefined && path.indexOf(node) < path.indexOf(start);
}
