/** A test file that the deep run runs with larger numbers than every run does. */
export interface DeepPart {
  readonly file: string;
  /** The numbers of the promises in docs/promises.md that it tests; none if it says something else of Loom. */
  readonly promises: readonly number[];
  /** Its subject, if it tests no promise. */
  readonly about?: string;
  readonly setting?: Setting;
  /** True if the part tells how often it tried, though no variable says how often it should. */
  readonly isCounted?: true;
  /** True if it cannot stop between two rounds: a run too short for all of it leaves it out, and says so. */
  readonly isWhole?: true;
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
  [4, 'A tool that may have started is not started again, and nothing runs without its approval'],
  [5, 'A full disk or a failing one: typed error, nothing half done, goes on'],
  [6, 'No silent corruption'],
  [7, 'What is derived can be deleted at any moment'],
  [8, 'No id is given out twice'],
  [9, 'Edits by hand or git are merged, unreadable files are put aside'],
  [10, 'One writer for each data folder'],
  [11, 'Migration verifies before it swaps'],
  [12, 'Replicas that saw the same changes are equal, and undo takes back one’s own text alone'],
  [13, 'A client that is cut at any byte goes on with nothing lost or doubled'],
  [14, 'Clients that read slowly hurt themselves alone'],
  [15, 'However the output of a provider is cut into pieces, the same blocks come of it'],
  [16, 'Broken, hostile or endless output of a provider ends well'],
  [17, 'Every route refuses requests of strangers and of other sites'],
  [18, 'No call makes the server fail, and answers are what their schemas say'],
  [19, 'What models write runs nothing and loads nothing'],
  [20, 'Paths stay inside of their folder'],
  [21, 'No request costs endless work'],
  [22, 'Keys stay out of answers, frames, logs and files'],
  [23, 'What was acknowledged can be read back'],
  [24, 'A tool, provider or server that misbehaves hurts its own turn alone'],
  [25, 'Memory does not grow with what was touched and left'],
  [26, 'Search finds everything or says that it did not, in both cases'],
  [27, 'No program outlives Loom'],
  [28, 'Nothing acts without permission'],
  [29, 'What a turn did to files can be taken back, and nothing that others wrote is overwritten'],
  [30, 'Reads never wait for writers'],
  [31, 'A credential never outlives or exceeds the one it was made with, and one token’s load denies no other'],
  [32, 'No request leaves without room for its answer'],
  [33, 'An agent’s live run, its transcript and its import are one'],
  [34, 'Machines that share a database write one order, whichever of them fails'],
  [35, 'Losses are never silent'],
]);

const stores = 'packages/stores/src';
const kernel = 'packages/kernel/src';
const server = 'packages/server/src';
const nodeFiles = 'packages/node-files/src';
const runtime = 'packages/loom/src/runtime';
const points = (full: number): Setting => ({ name: 'LOOM_CRASH_POINTS', full });
const damages: Setting = { name: 'LOOM_DAMAGES', full: 20_000 };

/** The parts of the deep run, the quick and the real before the long and the simulated. */
export const deepParts: readonly DeepPart[] = [
  { file: 'packages/data-folder/src/opening/writer-lock.test.ts', promises: [10], minutes: 1 },
  { file: `${kernel}/log/log.test.ts`, promises: [8], minutes: 1 },
  { file: 'packages/loom/src/runtime/sortable-ids.test.ts', promises: [8], minutes: 1 },
  { file: `${nodeFiles}/adoption/rebuilding.test.ts`, promises: [7, 8], minutes: 1 },
  { file: `${kernel}/turn/misbehaviour.test.ts`, promises: [24], minutes: 1 },
  { file: `${kernel}/turn/speaking/flood.test.ts`, promises: [24], minutes: 1 },
  { file: 'packages/providers/src/claude-cli/hostile.test.ts', promises: [16, 24], minutes: 1 },
  { file: 'packages/providers/src/codex-cli/hostile.test.ts', promises: [16, 24], minutes: 1 },
  { file: 'packages/tools/src/servers/servers.test.ts', promises: [24], minutes: 1 },
  { file: `${kernel}/forest/root-heads.test.ts`, promises: [25], minutes: 1 },
  { file: `${kernel}/forest/unknown-ids.test.ts`, promises: [25], minutes: 1 },
  { file: `${kernel}/block-tools/long-history.test.ts`, promises: [25], minutes: 1 },
  { file: `${server}/guard/hostile.test.ts`, promises: [17], isCounted: true, minutes: 1 },
  { file: `${server}/guard/bounded-work.test.ts`, promises: [21], isCounted: true, minutes: 1 },
  { file: `${kernel}/search/work.test.ts`, promises: [21], minutes: 1 },
  { file: 'packages/loom/src/serve/canary-keys.test.ts', promises: [22], isCounted: true, minutes: 1 },
  { file: 'packages/web/src/markdown/safe-address.test.ts', promises: [19], minutes: 1 },
  { file: 'packages/web/e2e/safety.test.ts', promises: [19], isCounted: true, minutes: 1 },
  {
    file: `${server}/feed/slow-readers.test.ts`,
    promises: [14],
    setting: { name: 'LOOM_SUBSCRIBERS', full: 1000 },
    minutes: 2,
  },
  {
    file: 'packages/tools/src/folder/confined-folder.test.ts',
    promises: [20],
    setting: { name: 'LOOM_SWAPS', full: 20_000 },
    minutes: 3,
  },
  {
    file: `${kernel}/block-tools/tool-fuzz.test.ts`,
    promises: [12],
    setting: { name: 'LOOM_TOOL_FUZZ_SEEDS', full: 1000 },
    minutes: 5,
  },
  {
    file: 'packages/loom/src/serve/client.test.ts',
    promises: [13],
    setting: { name: 'LOOM_CUTS', full: 10_000 },
    minutes: 10,
  },
  {
    file: 'packages/client/src/outbox/outbox.fuzz.test.ts',
    promises: [13],
    setting: { name: 'LOOM_OUTBOX_TRACES', full: 20_000 },
    minutes: 10,
  },
  {
    file: 'packages/providers/src/testing/recordings/recordings.test.ts',
    promises: [16],
    setting: { name: 'LOOM_MUTATED_STREAMS', full: 200_000 },
    minutes: 10,
  },
  {
    file: `${server}/mcp/fuzz.test.ts`,
    promises: [18],
    setting: { name: 'LOOM_MCP_MESSAGES', full: 100_000 },
    minutes: 10,
  },
  {
    file: 'packages/blocks/src/document/undo.fuzz.test.ts',
    promises: [12],
    setting: { name: 'LOOM_UNDO_TRACES', full: 25_000 },
    minutes: 15,
  },
  {
    file: 'packages/loom/src/testing/hostile-values/hostile-values.test.ts',
    promises: [23],
    setting: { name: 'LOOM_HOSTILE_CALLS', full: 500_000 },
    minutes: 15,
  },
  {
    file: `${server}/routes/api-fuzz.test.ts`,
    promises: [18],
    setting: { name: 'LOOM_API_CALLS', full: 400_000 },
    minutes: 20,
  },
  {
    file: 'packages/sync/src/sync.fuzz.test.ts',
    promises: [12, 13],
    setting: { name: 'LOOM_SYNC_TRACES', full: 50_000 },
    minutes: 30,
  },
  { file: 'packages/web/e2e/together/everyone.test.ts', promises: [12, 13], isWhole: true, minutes: 5 },
  { file: `${kernel}/block-tools/editing-traces.test.ts`, promises: [12], isWhole: true, minutes: 3 },
  { file: 'packages/loom/src/archive/restore-race.test.ts', promises: [10], isWhole: true, minutes: 3 },
  { file: 'packages/loom/src/commands/data/losses/damaged-database.test.ts', promises: [6], isWhole: true, minutes: 3 },
  { file: 'packages/exchange/src/claude-code/captures.test.ts', promises: [33], isWhole: true, minutes: 3 },
  {
    file: `${runtime}/working-folder/blame-corpus.test.ts`,
    promises: [],
    about: 'Lines of files are traced to the turns that wrote them',
    isWhole: true,
    minutes: 10,
  },
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
    file: 'packages/loom/src/serve/machines/machines-under-faults.test.ts',
    promises: [34],
    setting: { name: 'LOOM_MACHINE_ROUNDS', full: 500 },
    minutes: 45,
  },
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
    promises: [3, 4, 8],
    setting: { name: 'LOOM_SIM_SEEDS', full: 20_000 },
    minutes: 35,
  },
  { file: 'packages/providers/src/testing/recordings/splitting.test.ts', promises: [15], isCounted: true, minutes: 25 },
  { file: 'packages/providers/src/agent-cli/split-streams.test.ts', promises: [15, 16], isCounted: true, minutes: 8 },
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

/** A twentieth of a full run takes some 40 minutes. */
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
  return (part.setting === undefined && part.isCounted !== true) || part.isWhole === true
    ? Math.max(passed, attempts)
    : attempts;
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
    for (const outcome of concerned) lines.push(...linesOf(outcome));
  }
  for (const outcome of outcomes) {
    if (outcome.part.about !== undefined) lines.push(`Also: ${outcome.part.about}`, ...linesOf(outcome));
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

/** The verdict on a part, and what it said. */
function linesOf(outcome: PartOutcome): string[] {
  const { part, minutes, passed, remarks, findings, untried } = outcome;
  const verdict = findings.length > 0 ? 'FAILED' : attemptsOf(outcome) > 0 ? 'passed' : 'not tried';
  return [
    `   ${verdict} ${part.file} (${passed} ${passed === 1 ? 'test' : 'tests'}, ${minutes.toFixed(1)} min)`,
    ...remarks.map((remark) => `      ${remark}`),
    ...findings.map((finding) => `      FINDING ${finding.replace(/\s+/gu, ' ').slice(0, 500)}`),
    ...untried.map((reason) => `      not tried: ${reason}`),
  ];
}
