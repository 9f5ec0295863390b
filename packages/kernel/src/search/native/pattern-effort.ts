/** The worst work that a part of a pattern makes a backtracking engine do at one place of a text. */
export interface Effort {
  /** In how many ways it may match there. */
  ways: number;
  /** The number of characters looked at until all of them were tried. */
  steps: number;
}

/** The effort of an assertion, which consumes nothing. */
export const noEffort: Effort = { ways: 1, steps: 0 };

export const oneCharacter: Effort = { ways: 1, steps: 1 };

/** Returns the effort of parts that follow one another: later parts are tried again for each way of the earlier ones. */
export function effortOfSequence(parts: readonly Effort[]): Effort {
  return parts.reduce(
    (sum, { ways, steps }) => ({ ways: sum.ways * ways, steps: sum.steps + sum.ways * steps }),
    noEffort,
  );
}

/** Returns the effort of parts one of which matches. */
export function effortOfAlternatives(parts: readonly Effort[]): Effort {
  return parts.reduce((sum, { ways, steps }) => ({ ways: sum.ways + ways, steps: sum.steps + steps }), {
    ways: 0,
    steps: 0,
  });
}

/** Returns the effort of a part that is repeated; without a limit there is none to the effort either. */
export function effortOfRepetition(part: Effort, minimum: number, maximum: number): Effort {
  if (maximum > maxCounted) return { ways: Infinity, steps: Infinity };
  const counts = Array.from({ length: maximum - minimum + 1 }, (_, more) => part.ways ** (minimum + more));
  const { steps } = effortOfSequence(Array.from({ length: maximum }, () => part));
  return { ways: counts.reduce((sum, ways) => sum + ways, 0), steps };
}

const maxCounted = 100;
