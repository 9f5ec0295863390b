/** A test file that the deep run runs with larger numbers than every run does. */
export interface DeepPart {
  readonly file: string;
  /** The numbers of the promises in docs/promises.md that it tests. */
  readonly promises: readonly number[];
  readonly setting?: Setting;
  /** True if the part tells how often it tried, though no variable says how often it should. */
  readonly isCounted?: true;
  /** The approximate time of a full run on two cores, in minutes. */
  readonly minutes: number;
}

/** The variable that sets the number of tries, with its value in a full deep run. */
interface Setting {
  readonly name: string;
  readonly full: number;
}

export const promises: ReadonlyMap<number, string> = new Map([
  [1, 'What was acknowledged survives kill -9 and a power cut'],
  [2, 'A batch is all or nothing'],
  [3, 'After a crash nothing stays running, and text is kept'],
  [5, 'A full disk or a failing one: typed error, nothing half done, goes on'],
  [6, 'No silent corruption'],
  [7, 'What is derived can be deleted at any moment'],
  [9, 'Edits by hand or git are merged, unreadable files are put aside'],
  [10, 'One writer for each data folder'],
  [11, 'Migration verifies before it swaps'],
  [15, 'However the output of a provider is cut into pieces, the same blocks come of it'],
  [26, 'Search finds everything or says that it did not, in both cases'],
  [27, 'No program outlives Loom'],
  [28, 'Nothing acts without permission'],
  [29, 'What a turn did to files can be taken back, and nothing that others wrote is overwritten'],
  [30, 'Reads never wait for writers'],
  [31, 'A credential never outlives or exceeds the one it was made with, and one token’s load denies no other'],
  [32, 'No request leaves without room for its answer'],
  [33, 'An agent’s live run, its transcript and its import are one'],
  [35, 'Losses are never silent'],
]);

const stores = 'packages/stores/src';
const kernel = 'packages/kernel/src';
const nodeFiles = 'packages/node-files/src';
const runtime = 'packages/loom/src/runtime';
const points = (full: number): Setting => ({ name: 'LOOM_CRASH_POINTS', full });
const damages: Setting = { name: 'LOOM_DAMAGES', full: 20_000 };

/** The parts of the deep run, the quick and the real before the long and the simulated. */
export const deepParts: readonly DeepPart[] = [
  { file: 'packages/data-folder/src/opening/writer-lock.test.ts', promises: [10], minutes: 1 },
  { file: `${nodeFiles}/adoption/rebuilding.test.ts`, promises: [7], minutes: 1 },
  { file: `${nodeFiles}/migration/migration-crashes.test.ts`, promises: [11], minutes: 1 },
  { file: 'packages/loom/src/commands/data/older-loom.test.ts', promises: [11], isCounted: true, minutes: 1 },
  { file: `${nodeFiles}/intake/real-disk.test.ts`, promises: [9], minutes: 1 },
  {
    file: `${nodeFiles}/intake/hand-edits.fuzz.test.ts`,
    promises: [9],
    setting: { name: 'LOOM_TRACES', full: 500 },
    minutes: 1,
  },
  {
    file: 'packages/tools/src/command-line/simple-command.test.ts',
    promises: [28],
    setting: { name: 'LOOM_COMMAND_LINES', full: 50_000 },
    minutes: 2,
  },
  {
    file: 'packages/tools/src/policy/permissions.fuzz.test.ts',
    promises: [28],
    setting: { name: 'LOOM_COMMAND_LINES', full: 50_000 },
    minutes: 20,
  },
  {
    file: 'packages/tools/src/undo/undo.fuzz.test.ts',
    promises: [29],
    setting: { name: 'LOOM_UNDO_ROUNDS', full: 20_000 },
    minutes: 20,
  },
  { file: `${kernel}/operations/calling/reads-beside-writers.test.ts`, promises: [30], minutes: 1 },
  { file: 'packages/server/src/access/derived-credentials.test.ts', promises: [31], minutes: 1 },
  { file: 'packages/server/src/access/token-limits.test.ts', promises: [31], minutes: 1 },
  {
    file: `${kernel}/turn/room/full-context.test.ts`,
    promises: [32],
    setting: { name: 'LOOM_FULL_CONTEXTS', full: 20_000 },
    minutes: 20,
  },
  { file: 'packages/providers/src/claude-cli/live-events.test.ts', promises: [33], minutes: 1 },
  { file: 'packages/exchange/src/codex/live/live-captures.test.ts', promises: [33], minutes: 1 },
  {
    file: 'packages/loom/src/models/agents/killed-agents.test.ts',
    promises: [33],
    setting: { name: 'LOOM_AGENT_KILLS', full: 200 },
    minutes: 10,
  },
  { file: 'packages/loom/src/commands/data/losses/losses.test.ts', promises: [35], minutes: 1 },
  {
    file: 'packages/loom/src/commands/data/losses/losses-fuzz.test.ts',
    promises: [35],
    setting: { name: 'LOOM_LOSSES', full: 200 },
    minutes: 15,
  },
  {
    file: 'packages/loom/src/processes/killed-commands.test.ts',
    promises: [27],
    setting: { name: 'LOOM_TOOL_KILLS', full: 500 },
    minutes: 15,
  },
  {
    file: `${stores}/sqlite/search/search.fuzz.test.ts`,
    promises: [26],
    setting: { name: 'LOOM_SEARCHES', full: 20_000 },
    minutes: 15,
  },
  {
    file: `${runtime}/power-cut.test.ts`,
    promises: [1, 2, 3],
    setting: { name: 'LOOM_POWER_CUTS', full: 400 },
    minutes: 45,
  },
  {
    file: `${runtime}/full-disk.test.ts`,
    promises: [5],
    setting: { name: 'LOOM_FULL_DISKS', full: 200 },
    minutes: 20,
  },
  // Every so many calls one is made to fail: a full run takes each, a shorter one leaves some out.
  {
    file: `${stores}/sqlite/injected-failures.test.ts`,
    promises: [5],
    setting: { name: 'LOOM_INJECTION_STRIDE', full: 1 },
    minutes: 15,
  },
  {
    file: `${runtime}/kill-loop.test.ts`,
    promises: [1, 2, 3],
    setting: { name: 'LOOM_KILLS', full: 2000 },
    minutes: 60,
  },
  {
    file: 'packages/simulator/src/simulation.test.ts',
    promises: [3],
    setting: { name: 'LOOM_SIM_SEEDS', full: 20_000 },
    minutes: 35,
  },
  { file: 'packages/providers/src/testing/recordings/splitting.test.ts', promises: [15], isCounted: true, minutes: 25 },
  { file: 'packages/providers/src/agent-cli/split-streams.test.ts', promises: [15], isCounted: true, minutes: 8 },
  { file: `${stores}/sqlite/damage.test.ts`, promises: [6], setting: damages, minutes: 6 },
  { file: `${nodeFiles}/intake/damage.test.ts`, promises: [6], setting: damages, minutes: 4 },
  { file: `${stores}/sqlite/crashes.test.ts`, promises: [1, 2], setting: points(500_000), minutes: 25 },
  { file: `${nodeFiles}/writing/crashes.test.ts`, promises: [5, 7], setting: points(250_000), minutes: 65 },
  { file: `${stores}/files/crashes.test.ts`, promises: [1, 2, 5], setting: points(4_250_000), minutes: 140 },
];

/** A part with the value of its variable. */
export interface PlannedPart extends DeepPart {
  readonly value: number | undefined;
}

/**
 * Plans a run of so many minutes; without a limit everything is tried. A part stops between two rounds when its time is over, so only
 * strides grow: they spread the tries over all that there is.
 */
export function planDeepRun(parts: readonly DeepPart[], minutes: number = Infinity): PlannedPart[] {
  const all = parts.reduce((sum, part) => sum + part.minutes, 0);
  const share = Math.min(1, minutes / all);
  return parts.map((part) => {
    const { setting } = part;
    const isStride = setting?.name.endsWith('_STRIDE') === true;
    const value = isStride ? Math.ceil(setting.full / share) : setting?.full;
    return { ...part, value, minutes: part.minutes * share };
  });
}

/** The titles of tests that show that a part would find a fault. They take as long however short a run is, and `npm test` runs most of them. */
export const plantedFault = /planted fault/u;

/** Returns true if a run tries so little that planted faults would take most of its time. */
export function leavesOutPlanted(plan: readonly PlannedPart[]): boolean {
  const full = new Map(deepParts.map(({ file, minutes }) => [file, minutes]));
  return plan.some(({ file, minutes }) => minutes < (full.get(file) ?? 0) * leastShare);
}

/** A twentieth of a full run takes some 20 minutes. */
const leastShare = 1 / 20;

/** Returns the share of the minutes left that the next part may take: in proportion to those behind it. */
export function shareOf([next, ...others]: readonly Pick<DeepPart, 'minutes'>[], left: number): number {
  const all = others.reduce((sum, part) => sum + part.minutes, next?.minutes ?? 0);
  return all === 0 ? left : (left * (next?.minutes ?? 0)) / all;
}

/** The outcome of a part. */
export interface PartOutcome {
  readonly part: DeepPart;
  readonly minutes: number;
  readonly passed: number;
  /** The number of tries that could have broken a promise, as far as the tests count them. */
  readonly attempts: number;
  /** The remarks of the tests on how much they tried. */
  readonly remarks: readonly string[];
  /** The tests that failed, with their findings. */
  readonly findings: readonly string[];
  /** The tests that could not be run, with what they lack. */
  readonly untried: readonly string[];
}

/** The attempts that a remark of a test tells of: see `tellTried` in @loom/blocks/testing. */
export function attemptsIn(remark: string): number {
  return Number(/^tried (\d+) /u.exec(remark)?.[1] ?? 0);
}

/** Returns the promises that parts were chosen for, and for which nothing was tried: a run that leaves one out proves nothing about it. */
export function untriedPromises(outcomes: readonly PartOutcome[]): number[] {
  const chosen = [...promises.keys()].filter((number) => outcomes.some(({ part }) => part.promises.includes(number)));
  return chosen.filter((number) => attemptsAt(number, outcomes) === 0);
}

/** A part that counts nothing itself has tried as much as it has tests. */
function attemptsAt(promise: number, outcomes: readonly PartOutcome[]): number {
  const concerned = outcomes.filter(({ part }) => part.promises.includes(promise));
  return concerned.reduce((sum, outcome) => sum + attemptsOf(outcome), 0);
}

function attemptsOf({ part, attempts, passed }: PartOutcome): number {
  return part.setting === undefined && part.isCounted !== true ? passed : attempts;
}

/** Summarizes what was tried, found and not tried for each promise, and adds a last line for all. */
export function summarize(outcomes: readonly PartOutcome[]): string[] {
  const lines: string[] = [];
  for (const [number, promise] of promises) {
    const concerned = outcomes.filter(({ part }) => part.promises.includes(number));
    if (concerned.length === 0) continue;
    const attempts = attemptsAt(number, outcomes);
    lines.push(
      `${number}. ${promise}: ${attempts === 0 ? 'NEVER TRIED' : `tried ${attempts.toLocaleString('en')} times`}`,
    );
    for (const outcome of concerned) {
      const { part, minutes, passed, remarks, findings, untried } = outcome;
      const verdict = findings.length > 0 ? 'FAILED' : attemptsOf(outcome) > 0 ? 'passed' : 'not tried';
      lines.push(
        `   ${verdict} ${part.file} (${passed} ${passed === 1 ? 'test' : 'tests'}, ${minutes.toFixed(1)} min)`,
      );
      for (const remark of remarks) lines.push(`      ${remark}`);
      for (const finding of findings) lines.push(`      FINDING ${finding.replace(/\s+/gu, ' ').slice(0, 500)}`);
      for (const reason of untried) lines.push(`      not tried: ${reason}`);
    }
  }
  const count = (of: (outcome: PartOutcome) => readonly string[]): number => outcomes.flatMap(of).length;
  const [found, untried] = [count(({ findings }) => findings), count((outcome) => outcome.untried)];
  const missing =
    untried === 0
      ? 'everything was tried'
      : untried === 1
        ? '1 test was NOT TRIED, see above for what it needs'
        : `${untried} tests were NOT TRIED, see above for what they need`;
  const never = untriedPromises(outcomes);
  const gap =
    never.length === 0
      ? ''
      : ` The run FAILED: nothing was tried for ${never.map((number) => `promise ${number}`).join(', ')}.`;
  lines.push('', `${found === 0 ? 'No findings' : found === 1 ? '1 FINDING' : `${found} FINDINGS`}; ${missing}.${gap}`);
  return lines;
}
