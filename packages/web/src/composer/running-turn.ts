import type { TurnView } from '@loom/sync';

/** The turn that goes on at the end of a path: what is said now is said to it. Turns on other branches are not meant. */
export function turnOn(root: string, path: readonly string[], turns: readonly TurnView[]): TurnView | undefined {
  return turns.findLast(({ node, answer }) =>
    answer === undefined ? node === (path.at(-1) ?? root) : path.includes(answer),
  );
}
