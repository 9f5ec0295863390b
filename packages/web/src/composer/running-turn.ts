import type { TurnView } from '@loom/sync';

/** Returns the turn that is running at the end of a path: the next message goes to it. Ignores turns on other branches. */
export function turnOn(root: string, path: readonly string[], turns: readonly TurnView[]): TurnView | undefined {
  return turns.findLast(({ node, answer }) =>
    // From the end on: that is where turns go on, at every key that is typed meanwhile.
    answer === undefined ? node === (path.at(-1) ?? root) : path.lastIndexOf(answer) >= 0,
  );
}
