import { parseArgs } from 'node:util';
import { Coverage, meetingActions } from './coverage.ts';
import { defaultSteps, simulate } from './simulation.ts';
import type { Simulation } from './simulation.ts';

/** The outputs of a run: results go to `out`, everything else to `note`. */
export interface SimOutput {
  out: (text: string) => void;
  note: (text: string) => void;
  /** True if a user reads the notes, and wants to see the progress. */
  isWatched: boolean;
}

/** Runs `npm run sim -- <args>`: returns the exit code. Tests pass in a simulation that fails. */
export async function sim(args: readonly string[], output: SimOutput, run = simulate): Promise<number> {
  const options = readOptions(args);
  if ('problem' in options) {
    output.note(`${options.problem}\n${usage}`);
    return 2;
  }
  if (options.isHelp) {
    output.out(usage);
    return 0;
  }
  const { first, count, steps, hasAgents, isJson } = options;
  const coverage = new Coverage();
  const broken: Simulation[] = [];
  let changes = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const simulation = await run({ seed, steps, hasAgents });
    coverage.merge(simulation.coverage);
    changes += simulation.changes.length;
    const isBroken = simulation.violations.length > 0;
    if (isBroken) broken.push(simulation);
    if (!isJson && (isBroken || count === 1)) output.out(`${renderTrace(simulation)}\n`);
    if (output.isWatched && seed % 100 === 0) output.note(`seed ${seed}\n`);
  }
  const summary = { first, count, steps, changes };
  output.out(isJson ? `${renderJson(summary, coverage, broken)}\n` : renderSummary(summary, coverage, broken));
  return broken.length === 0 ? 0 : 1;
}

const usage = `Looks for faults in Loom itself, by simulation.

Usage: npm run sim -- [--seeds <n>] [--seed <n>] [--steps <n>] [--agents] [--json]

Runs several kernels over one store in memory while everything happens to them
that can: crashes, lost leases, conflicts, failing writes, and people who stop,
steer, approve and edit. A seed decides everything. After every step what Loom
promises is checked; a violation is printed with its seed and what led to it.

  --seeds <n>  How many simulations (default 200)
  --seed <n>   The first seed; without --seeds the only one
  --steps <n>  How long each of them is
  --agents     Agents answer, too, that run their own tools
  --json       One JSON document
`;

type Options = { first: number; count: number; steps: number; hasAgents: boolean; isJson: boolean; isHelp: boolean };

function readOptions(args: readonly string[]): Options | { problem: string } {
  const number = { type: 'string' } as const;
  const isSet = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: number,
        seed: number,
        steps: number,
        agents: isSet,
        json: isSet,
        help: { ...isSet, short: 'h' },
      },
    });
    const seed = readNumber('seed', values.seed);
    return {
      first: seed ?? 1,
      count: readNumber('seeds', values.seeds) ?? (seed === undefined ? 200 : 1),
      steps: readNumber('steps', values.steps) ?? defaultSteps,
      hasAgents: values.agents,
      isJson: values.json,
      isHelp: values.help,
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new RangeError(`--${name} needs a whole number from 1 on, not ${JSON.stringify(text)}`);
}

type Summary = { first: number; count: number; steps: number; changes: number };

/** Returns everything that was done, ending in the violations, and the command to replay it. */
function renderTrace({ seed, steps, hasAgents, trace, violations }: Simulation): string {
  const lines = [`seed ${seed}`, ...trace.map((line) => `  ${line}`)];
  if (violations.length > 0)
    lines.push(`replay with: npm run sim -- --seed ${seed} --steps ${steps}${hasAgents ? ' --agents' : ''}`);
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
