import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { z } from 'zod';
import { runInside } from '../fake-terminal.ts';
import { racerAnswer, racerProgram } from './racer.ts';
import type { RacerOrder } from './racer.ts';

/** The setting of a race, and the number of its rounds; one with planted faults ends with the first finding. */
export type RestoreRace = Omit<RacerOrder, 'what'> & { rounds: number };

export interface RaceReport {
  /** Messages that were acknowledged, and restorations. */
  acknowledged: number;
  restored: number;
  findings: string[];
}

const writers = 3;
const restorers = 2;

/** The limit of rounds, as a multiple of those that would do on a quiet machine. */
const patience = 20;

/** The processes that races are run with. */
export function startRacers(): Racer[] {
  return Array.from({ length: writers + restorers }, () => new Racer());
}

/**
 * Restores one folder with several processes at once, while others wait for it to write, again and again. Every message that was
 * acknowledged must be in the folder or in one of those that were moved aside, and the folder must be sound.
 */
export async function runRestoreRace(racers: readonly Racer[], race: RestoreRace): Promise<RaceReport> {
  const { rounds, ...place } = race;
  const archive = join(dirname(place.dataDir), 'backup.jsonl');
  await run(place.dataDir, ['chat', '-p', 'echo the beginning', '--store', place.store]);
  await run(place.dataDir, ['backup', archive]);
  const report: RaceReport = { acknowledged: 0, restored: 0, findings: [] };
  const acknowledged: string[] = [];
  // On a busy machine a process may give up waiting for the folder: it gets the order again, until enough was done to lose something of.
  const isEnough = (done: number): boolean =>
    report.findings.length > 0 ||
    done >= patience * rounds ||
    (done >= rounds && (race.manner === 'faulty' || Math.min(report.restored, acknowledged.length) >= rounds));
  for (let round = 1; !isEnough(round - 1); round += 1) {
    const texts = Array.from({ length: writers }, (_, index) => `message-${round}-${index}`);
    const answers = await Promise.all(
      racers.map((racer, index) => {
        const text = texts[index];
        const what = text === undefined ? { type: 'restore' as const, archive } : { type: 'say' as const, text };
        return racer.obey({ ...place, what });
      }),
    );
    acknowledged.push(...texts.filter((_, index) => answers[index]?.isDone));
    report.restored += answers.slice(writers).filter(({ isDone }) => isDone).length;
    if (isEnough(round) || race.manner === 'faulty')
      report.findings.push(...(await examine(place.dataDir, acknowledged)));
  }
  report.acknowledged = acknowledged.length;
  return report;
}

async function examine(dataDir: string, acknowledged: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const folder of foldersOf(dataDir)) {
    const { out } = await runInside(['--data-dir', folder, 'tree', '--json']);
    for (const [text] of out.matchAll(/message-\d+-\d+/gu)) found.add(text);
  }
  const { code, out, note } = await runInside(['--data-dir', dataDir, 'doctor']);
  return [
    ...acknowledged.filter((text) => !found.has(text)).map((text) => `${text} was acknowledged and is gone`),
    ...(code === 0 ? [] : [`doctor: ${out}${note}`]),
  ];
}

async function run(dataDir: string, args: readonly string[]): Promise<void> {
  const { code, out, note } = await runInside(['--data-dir', dataDir, ...args]);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${out}${note}`);
}

function foldersOf(dataDir: string): string[] {
  const [above, name] = [dirname(dataDir), basename(dataDir)];
  const aside = readdirSync(above).filter((one) => one.startsWith(`${name}.before-restore-`));
  return [dataDir, ...aside.map((one) => join(above, one))];
}

/** A process that follows orders. */
export class Racer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    this.#child = spawn(process.execPath, [racerProgram]);
    this.#child.stderr.resume();
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async obey(order: RacerOrder): Promise<z.infer<typeof racerAnswer>> {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error('a racer has ended by itself');
    return racerAnswer.parse(JSON.parse(line.value));
  }

  /** Ends the process. */
  async end(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin.end();
    await ended;
  }
}
