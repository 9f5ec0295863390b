import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../failure.ts';
import { Coverage, meetingActions } from '../simulator/coverage.ts';
import { defaultSteps, simulate } from '../simulator/simulation.ts';
import type { Simulation } from '../simulator/simulation.ts';

/** `loom sim` */
export const sim = createSim(simulate);

/** The command over any simulation; tests hand in one that goes wrong. */
export function createSim(run: typeof simulate): (call: Call) => Promise<ExitCode> {
  return async ({ options, isJson, terminal }) => {
    const seed = readNumber(options, 'seed');
    const count = readNumber(options, 'seeds') ?? (seed === undefined ? 200 : 1);
    const steps = readNumber(options, 'steps') ?? defaultSteps;
    const first = seed ?? 1;
    const coverage = new Coverage();
    const broken: Simulation[] = [];
    let changes = 0;
    for (let next = first; next < first + count; next += 1) {
      const simulation = await run({ seed: next, steps });
      coverage.merge(simulation.coverage);
      changes += simulation.changes.length;
      const isBroken = simulation.violations.length > 0;
      if (isBroken) broken.push(simulation);
      if (!isJson && (isBroken || count === 1)) terminal.out(`${renderTrace(simulation)}\n`);
      if (terminal.screen.isNote && next % 100 === 0) terminal.note(`seed ${next}\n`);
    }
    const summary = { first, count, steps, changes };
    terminal.out(isJson ? `${renderJson(summary, coverage, broken)}\n` : renderSummary(summary, coverage, broken));
    return broken.length === 0 ? EXIT.ok : EXIT.failed;
  };
}

type Summary = { first: number; count: number; steps: number; changes: number };

function readNumber(options: Call['options'], name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text !== true && Number.isSafeInteger(number) && number > 0) return number;
  throw new UsageError('bad-option', `--${name} needs a whole number from 1 on, not ${JSON.stringify(text)}`);
}

/** Everything that was done, ending in what went wrong, and how to see it again. */
function renderTrace({ seed, steps, trace, violations }: Simulation): string {
  const lines = [`seed ${seed}`, ...trace.map((line) => `  ${line}`)];
  if (violations.length > 0) lines.push(`replay with: loom sim --seed ${seed} --steps ${steps}`);
  return lines.join('\n');
}

function renderSummary({ first, count, steps, changes }: Summary, coverage: Coverage, broken: Simulation[]): string {
  const seeds = broken.map(({ seed }) => seed).join(', ');
  return [
    `seeds ${first} to ${first + count - 1}, ${steps} steps each, ${changes} changes`,
    'how often two actions hit one turn, the first (row) before the other (column):',
    coverage.render(),
    `pairs that never met: ${coverage.missing().join('; ') || 'none'}`,
    broken.length === 0
      ? 'no violations'
      : `VIOLATIONS with ${broken.length === 1 ? '1 seed' : `${broken.length} seeds`}: ${seeds}`,
    '',
  ].join('\n');
}

function renderJson(summary: Summary, coverage: Coverage, broken: readonly Simulation[]): string {
  const pairs = meetingActions.flatMap((first) =>
    meetingActions.map((second) => ({ first, second, count: coverage.count(first, second) })),
  );
  const violations = broken.map(({ seed, violations: found, trace }) => ({ seed, violations: found, trace }));
  return JSON.stringify({ ok: broken.length === 0, ...summary, coverage: pairs, violations });
}
