// Lets Loom fill small disks. To be run in a separate namespace: `full-disk-run.ts <store> <rounds> <seed>`; its last line is a report.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { FolderError } from '@loom/data-folder/files';
import { rounds } from '@loom/blocks/testing';
import { StoreError } from '@loom/kernel/store';
import { describeFilesReport } from '../../runtime/files-note.ts';
import { withReader, withWriter } from '../../runtime/opened-folder.ts';
import { Random } from '@loom/kernel/testing';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { Acknowledged } from '../kill-loop/acknowledged.ts';
import { endWithParent, finish, giveUp, mountPlace } from '../namespace/disk-namespace.ts';
import type { FillingLine } from './filling-writer.ts';
import { fillingLine, fillingWriterProgram } from './filling-writer.ts';
import { wrongCourse } from './course.ts';

export const fullDiskProgram = import.meta.filename;

/** The report of the runs on small disks. */
export const fullDiskReport = z.strictObject({
  rounds: z.int(),
  acknowledged: z.int(),
  findings: z.array(z.string()),
  /** The folders that could not be read, though they were closed before others filled up their disks. */
  unreadable: z.array(z.string()),
});
type FullDiskReport = z.infer<typeof fullDiskReport>;

const options = z.tuple([z.enum(STORE_KINDS), z.coerce.number(), z.coerce.number()]);

async function fillDisks(args: readonly string[]): Promise<FullDiskReport> {
  const [store, count, seed] = options.parse(args);
  const report: FullDiskReport = { rounds: 0, acknowledged: 0, findings: [], unreadable: [] };
  const disk = mountPlace();
  for (const round of rounds((done) => done >= count || report.findings.length > 0)) {
    report.rounds = round;
    const random = new Random(seed + report.rounds);
    const kilobytes = 1500 + random.below(5000);
    mountSmall(disk, kilobytes);
    const { lines, findings, unreadable } = await fillOne(disk, store, random);
    report.acknowledged += lines.filter(({ type }) => type === 'said').length;
    const what = `${store}, seed ${seed + report.rounds}, a disk of ${kilobytes} KB`;
    report.findings.push(...findings.map((finding) => `${what}: ${finding}`));
    report.unreadable.push(...unreadable.map((finding) => `${what}: ${finding}`));
    spawnSync('umount', [disk]);
  }
  return report;
}

interface Course {
  lines: FillingLine[];
  findings: string[];
  unreadable: string[];
}

/** One life of a disk: filled, read from, freed, written to, and opened again. */
async function fillOne(disk: string, store: StoreKind, random: Random): Promise<Course> {
  const dataDir = join(disk, 'data');
  const isKilled = random.chance(0.3);
  const child = spawn(process.execPath, [fillingWriterProgram, dataDir, store, `${random.below(1e6)}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const exited = once(child, 'exit');
  const lines: FillingLine[] = [];
  const findings: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const told = fillingLine.parse(JSON.parse(line));
    lines.push(told);
    if (told.type !== 'read') continue;
    findings.push(...(await wrongForReaders(dataDir, new Acknowledged(acknowledgedIn(lines)))));
    if (isKilled) child.kill('SIGKILL');
    else {
      makeRoom(disk);
      child.stdin.write('there is room\n');
    }
  }
  await exited;
  findings.push(...wrongCourse(lines, isKilled));
  if (child.exitCode !== 0 && child.signalCode !== 'SIGKILL') findings.push(`the process ended: ${complaint}`);
  const acknowledged = new Acknowledged(acknowledgedIn(lines));
  if (isKilled) findings.push(...(await openWhileFull(dataDir)));
  makeRoom(disk);
  findings.push(...(await wrongAfterwards(dataDir, acknowledged)));
  fillUp(disk);
  return { lines, findings, unreadable: await wrongForReaders(dataDir, acknowledged) };
}

function acknowledgedIn(lines: readonly FillingLine[]) {
  return lines.flatMap((line) => (line.type === 'ready' || line.type === 'said' ? [line] : []));
}

/** Returns the messages that another process does not see while the disk is full. */
async function wrongForReaders(dataDir: string, acknowledged: Acknowledged): Promise<string[]> {
  const { root = '' } = acknowledged;
  return withReader({ dataDir }, async (loom) => {
    const listed = await loom.engine.forest.listRoots();
    const state = await loom.engine.forest.log(root).state();
    return [
      ...(listed.some(({ id }) => id === root) ? [] : ['a full disk: the conversation is not listed']),
      // A process is still writing it: open blocks are not a finding.
      ...acknowledged.findings(state).filter((finding) => finding.includes('should say')),
    ];
  }).catch((error: unknown) => [`a full disk cannot be read: ${String(error)}`]);
}

/** A process that begins to write on a full disk may be refused, with a code. */
async function openWhileFull(dataDir: string): Promise<string[]> {
  try {
    await withWriter({ dataDir, note: () => {} }, async (loom) => {
      for (const root of await loom.engine.forest.roots()) await loom.open(root);
    });
    return [];
  } catch (error) {
    return error instanceof StoreError || error instanceof FolderError
      ? []
      : [`opening a full disk is refused without a code: ${String(error)}`];
  }
}

/** Returns the faults that the next process to open the folder finds once there is room; every message must have its file then. */
async function wrongAfterwards(dataDir: string, acknowledged: Acknowledged): Promise<string[]> {
  const { root = '' } = acknowledged;
  const reports: string[] = [];
  try {
    const { findings, nodes } = await withWriter(
      {
        dataDir,
        news: (told) => {
          if (told.type === 'files' && told.report.type !== 'writing')
            reports.push(`${told.report.type}: ${describeFilesReport(told.report).trim()}`);
        },
      },
      async (loom) => {
        const state = await loom.open(root);
        await loom.recheck(root);
        return { findings: acknowledged.findings(state), nodes: state.nodes.size };
      },
    );
    const files = readdirSync(join(dataDir, root, 'nodes'));
    const leftOver = files.filter((name) => !/^[^.]+\.json$/u.test(name));
    return [
      ...findings,
      ...reports,
      ...(files.length - leftOver.length === nodes ? [] : [`${nodes} messages have ${files.length} files`]),
      ...leftOver.map((name) => `${name} was left behind`),
    ];
  } catch (error) {
    return [`it does not open: ${String(error)}`];
  }
}

function mountSmall(disk: string, kilobytes: number): void {
  mount(['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'loom-full-disk', disk]);
}

/** Makes enough room for all files that wait to be written. */
function makeRoom(disk: string): void {
  // With its source named, mount adds none of the old options, some of which a user may not give.
  mount(['-t', 'tmpfs', '-o', 'remount,size=64m', 'loom-full-disk', disk]);
}

/** Takes all the room as another program, after Loom has closed its files. */
function fillUp(disk: string): void {
  const { stderr } = spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'ballast')}`, 'bs=64k'], { encoding: 'utf8' });
  if (!stderr.includes('No space left')) throw new Error(`the disk is not full: ${stderr}`);
}

function mount(args: readonly string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) giveUp(`needs the right to mount a tmpfs: ${stderr}`);
}

if (import.meta.main) {
  endWithParent();
  finish(await fillDisks(process.argv.slice(2)));
}
