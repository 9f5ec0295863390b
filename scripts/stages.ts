import { styleText } from 'node:util';

/** One part of a test run. `run` prints its findings and returns their number. */
export interface Stage {
  readonly name: string;
  readonly run: () => Promise<number>;
}

/**
 * Runs all stages, also those after a failure, so that one run shows everything there is to mend. The stages of a lane run one after the other, lanes beside
 * each other. Prints each stage with its time when it ends, and a summary; returns the exit code.
 */
export async function runStages(lanes: readonly (readonly Stage[])[], print: (line: string) => void): Promise<0 | 1> {
  const started = performance.now();
  const stages = lanes.flat();
  const failures = new Set<Stage>();
  const runLane = async (lane: readonly Stage[]): Promise<void> => {
    for (const stage of lane) {
      const start = performance.now();
      const passed = await attempt(stage.run, print);
      if (!passed) failures.add(stage);
      print(
        `${passed ? styleText('green', 'passed') : styleText('red', 'FAILED')} ${stage.name} (${secondsSince(start)})`,
      );
    }
  };
  await Promise.all(lanes.map(runLane));
  const failed = stages.filter((stage) => failures.has(stage)).map(({ name }) => name);
  print('');
  if (failed.length === 0) {
    const all = stages.length === 1 ? 'The stage' : `All ${stages.length} stages`;
    print(styleText('green', `${all} passed (${secondsSince(started)}).`));
    return 0;
  }
  print(
    styleText(
      'red',
      `${failed.length} of ${stages.length} ${stages.length === 1 ? 'stage' : 'stages'} failed (${secondsSince(started)}): ${failed.join(', ')}.`,
    ),
  );
  return 1;
}

// A stage that breaks down is a failed stage; the others still have something to say.
async function attempt(run: Stage['run'], print: (line: string) => void): Promise<boolean> {
  try {
    return (await run()) === 0;
  } catch (error) {
    print(`  ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
