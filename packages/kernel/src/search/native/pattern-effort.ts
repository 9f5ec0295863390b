/** The worst work that a part of a pattern makes a backtracking engine do at one place of a text. */
export interface Effort {
  /** In how many ways it may match there. */
  ways: number;
  /** The number of characters looked at until all of them were tried. */
  steps: number;
}

/** Of something that is there or not. */
export const noEffort: Effort = { ways: 1, steps: 0 };

export const oneCharacter: Effort = { ways: 1, steps: 1 };

/** Of parts that follow one another: what comes behind is tried again for each way of what is before. */
export function effortOfSequence(parts: readonly Effort[]): Effort {
  return parts.reduce(
    (sum, { ways, steps }) => ({ ways: sum.ways * ways, steps: sum.steps + sum.ways * steps }),
    noEffort,
  );
}

/** Of parts one of which matches. */
export function effortOfAlternatives(parts: readonly Effort[]): Effort {
  return parts.reduce((sum, { ways, steps }) => ({ ways: sum.ways + ways, steps: sum.steps + steps }), {
    ways: 0,
    steps: 0,
  });
}

/** Of a part that is repeated; without a limit there is none to the effort either. */
export function effortOfRepetition(part: Effort, minimum: number, maximum: number): Effort {
  if (maximum > maxCounted) return { ways: Infinity, steps: Infinity };
  const counts = Array.from({ length: maximum - minimum + 1 }, (_, more) => part.ways ** (minimum + more));
  const { steps } = effortOfSequence(Array.from({ length: maximum }, () => part));
  return { ways: counts.reduce((sum, ways) => sum + ways, 0), steps };
}

const maxCounted = 100;
