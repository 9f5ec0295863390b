// The program of `npm run test:deep` once everything is installed: the tests of the promises about durability, one after the other.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { parseArgs, styleText } from 'node:util';
import type { PartOutcome, PlannedPart } from './deep-plan.ts';
import {
  attemptsIn,
  deepParts,
  leavesOutPlanted,
  plantedFault,
  planDeepRun,
  shareOf,
  summarize,
  untriedPromises,
} from './deep-plan.ts';

const root = join(import.meta.dirname, '..');
const usage = `npm run test:deep                         everything: some twelve hours
npm run test:deep -- --minutes 20         as much of everything as that takes: each part stops between two rounds when its time is over
npm run test:deep -- power-cut kill-loop  only the tests in files whose path contains one of these texts
The numbers can be set one by one, too: ${[...new Set(deepParts.flatMap(({ setting }) => setting?.name ?? []))].join(', ')}.
Power cuts need root, and e2fsprogs, xfsprogs or btrfs-progs for each file system; failing calls need strace.`;

/** Runs the parts that the words ask for; returns the exit code. */
async function runDeep(args: readonly string[]): Promise<number> {
  const { plan = [], minutes = 0 } = readPlan(args) ?? {};
  if (plan.length === 0) {
    console.error(usage);
    return 2;
  }
  const begun = performance.now();
  const isShort = leavesOutPlanted(plan);
  if (isShort) console.log('Planted faults are left out: a run this short has time for the promises alone.');
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  // Holds everything the tests make, and is gone at the end.
  const temporary = mkdtempSync(join(tmpdir(), 'loom-deep-'));
  const outcomes: PartOutcome[] = [];
  try {
    for (const [index, part] of plan.entries()) {
      if (interruption.signal.aborted) {
        outcomes.push(leaveOut(part, 'interrupted before it began'));
        continue;
      }
      if (isShort && part.isWhole === true) {
        outcomes.push(leaveOut(part, 'it does not stop in between, and this run has no time for all of it'));
        continue;
      }
      const setting = settingOf(part);
      const told = Object.entries(setting).map(([name, value]) => `, ${name}=${value}`);
      console.log(`[${index + 1}/${plan.length}] ${part.file}${told.join('')}`);
      const left = Math.max(0, minutes - (performance.now() - begun) / 60_000);
      const until = Date.now() + shareOf(plan.slice(index), left) * 60_000;
      const env = { ...process.env, ...setting, LOOM_DEEP: '1', LOOM_UNTIL: `${until}`, TMPDIR: temporary };
      outcomes.push(await runPart(part, { env, signal: interruption.signal, isShort }));
    }
  } finally {
    // Programs that were interrupted may still be ending.
    rmSync(temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  console.log('');
  for (const line of summarize(outcomes)) console.log(line);
  if (interruption.signal.aborted) return 130;
  return outcomes.some(({ findings }) => findings.length > 0) || untriedPromises(outcomes).length > 0 ? 1 : 0;
}

function leaveOut(part: PlannedPart, reason: string): PartOutcome {
  return { part, minutes: 0, passed: 0, attempts: 0, remarks: [], findings: [], untried: [reason] };
}

/** Returns the parts to run, and the most minutes; `undefined` if the words mean nothing. */
export function readPlan(args: readonly string[]): { plan: PlannedPart[]; minutes: number } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { minutes: { type: 'string' } },
      allowPositionals: true,
    });
    const minutes = Number(values.minutes ?? Infinity);
    const parts = deepParts.filter(
      ({ file }) => positionals.length === 0 || positionals.some((text) => file.includes(text)),
    );
    return minutes > 0 && parts.length > 0 ? { plan: planDeepRun(parts, minutes), minutes } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value of a part's variable: from the environment, else as planned. */
function settingOf({ setting, value }: PlannedPart): Record<string, string> {
  return setting === undefined ? {} : { [setting.name]: process.env[setting.name] ?? String(value) };
}

/** Runs a part, which stops when its time is over. */
async function runPart(
  part: PlannedPart,
  { env, signal, isShort }: { env: NodeJS.ProcessEnv; signal: AbortSignal; isShort: boolean },
): Promise<PartOutcome> {
  const begun = performance.now();
  const minutes = (): number => (performance.now() - begun) / 60_000;
  const pulse = setInterval(
    () => console.log(`   … ${minutes().toFixed(1)} of about ${part.minutes.toFixed(1)} min`),
    60_000,
  );
  const [remarks, findings, untried] = [new Array<string>(), new Array<string>(), new Array<string>()];
  let [passed, attempts] = [0, 0];
  const left = isShort ? { testSkipPatterns: plantedFault } : {};
  const tests = run({ files: [join(root, part.file)], concurrency: 1, signal, env, ...left });
  tests.on('test:diagnostic', ({ message, file }) => {
    // The others count tests.
    if (file === undefined) return;
    remarks.push(message);
    attempts += attemptsIn(message);
    console.log(`   ${message}`);
  });
  tests.on('test:fail', ({ name, details }) => {
    // An interrupted test has found nothing.
    if (signal.aborted) return;
    const { message, cause } = details.error;
    findings.push(`${name}: ${cause instanceof Error ? cause.message : message}`);
    console.log(styleText('red', `   FAILED ${findings.at(-1)}`));
  });
  tests.on('test:pass', ({ name, skip }) => {
    if (skip === undefined) {
      passed += 1;
      return;
    }
    untried.push(`${name}: ${String(skip)}`);
    console.log(styleText('yellow', `   not tried: ${untried.at(-1)}`));
  });
  await once(tests.resume(), 'end');
  clearInterval(pulse);
  if (signal.aborted) untried.push('the rest of it: interrupted');
  return { part, minutes: minutes(), passed, attempts, remarks, findings, untried };
}

if (import.meta.main) process.exitCode = await runDeep(process.argv.slice(2));
