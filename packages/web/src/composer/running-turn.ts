import type { TurnView } from '@loom/sync';

/** The turn that goes on at the end of a path: what is said now is said to it. Turns on other branches are not meant. */
export function turnOn(root: string, path: readonly string[], turns: readonly TurnView[]): TurnView | undefined {
  return turns.findLast(({ node, answer }) =>
    // From the end on: that is where turns go on, at every key that is typed meanwhile.
    answer === undefined ? node === (path.at(-1) ?? root) : path.lastIndexOf(answer) >= 0,
  );
}
