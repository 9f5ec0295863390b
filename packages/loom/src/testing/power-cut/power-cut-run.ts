// Cuts the power of a disk in a file again and again while a process writes to it. To be run in a separate namespace: `power-cut-run.ts
// <file system> <store> <cuts> <seed> <manner>`; its last line is a report.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import { rounds } from '@loom/blocks/testing';
import { checkLogFiles } from '@loom/stores/files';
import type { FilesReport } from '@loom/node-files';
import { checkIntegrity } from '@loom/stores/sqlite';
import { describeFilesReport } from '../../runtime/files-note.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import { Random } from '@loom/kernel/testing';
import type { FolderNews } from '@loom/data-folder';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { Acknowledged } from '../kill-loop/acknowledged.ts';
import type { Acknowledgement } from '../kill-loop/acknowledgement.ts';
import { WriterProcess } from '../kill-loop/writer-process.ts';
import type { WriterOptions } from '../kill-loop/writer-process.ts';
import { endWithParent, finish, giveUp, mountPlace } from '../namespace/disk-namespace.ts';
import { CommandError, fileSystems, ImageDisk } from './image-disk.ts';

export const powerCutProgram = import.meta.filename;

/** The report of the cuts. */
export const powerCutReport = z.strictObject({
  cuts: z.int(),
  acknowledged: z.int(),
  findings: z.array(z.string()),
});
type PowerCutReport = z.infer<typeof powerCutReport>;

/** `unsynced` is a planted fault: a system whose syncs do nothing. */
const options = z.tuple([
  z.enum(fileSystems),
  z.enum(STORE_KINDS),
  z.coerce.number(),
  z.coerce.number(),
  z.enum(['whole', 'unsynced']),
]);

async function cutPower(args: readonly string[]): Promise<PowerCutReport> {
  const [fileSystem, store, cuts, seed, manner] = options.parse(args);
  const random = new Random(seed);
  const report: PowerCutReport = { cuts: 0, acknowledged: 0, findings: [] };
  const disk = prepare(() => new ImageDisk(mountPlace(), fileSystem));
  const under = manner === 'unsynced' ? withoutSyncs() : [];
  let history: Acknowledgement[] = [];
  for (const life of rounds(() => report.cuts >= cuts || report.findings.length > 0)) {
    if (life % livesOfDisk === 1) {
      history = [];
      prepare(() => {
        disk.makeAnew();
        disk.mount();
        disk.unmount();
      });
    }
    const moments = await liveUntilCut(disk, random, { store, under });
    for (const { image, heard } of moments) {
      disk.revive(image);
      disk.mount();
      const told = [...history, ...heard];
      const findings = await findingsAfterCut(join(disk.folder, 'data'), store, new Acknowledged(told)).catch(
        (error: unknown) => [`it does not open: ${String(error)}`],
      );
      disk.unmount();
      report.cuts += 1;
      report.acknowledged += heard.length;
      report.findings.push(
        ...findings.map((finding) => `${store} on ${fileSystem}, cut ${report.cuts}, seed ${seed}: ${finding}`),
      );
    }
    // Life goes on from the last of them.
    history.push(...(moments.at(-1)?.heard ?? []));
  }
  return report;
}

/** A disk is made anew after so many, so that conversations stay small and cuts many. */
const livesOfDisk = 8;

interface Moment {
  image: string;
  /** The acknowledgements of this writer when the copy began. */
  heard: Acknowledgement[];
}

/** Lets a process write, cuts the power at some moments, the last of which is its end. */
async function liveUntilCut(
  disk: ImageDisk,
  random: Random,
  how: Pick<WriterOptions, 'store' | 'under'>,
): Promise<Moment[]> {
  disk.mount();
  const writer = new WriterProcess({ ...how, directory: join(disk.folder, 'data'), manner: 'node-files' });
  const moments: Moment[] = [];
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    await writer.writeFor(5 + random.below(250));
    const heard = [...writer.heard];
    if (disk.needsRest) writer.pause();
    moments.push({ image: disk.cut(), heard });
    if (disk.needsRest) writer.resume();
  }
  await writer.kill();
  disk.unmount();
  return moments;
}

/** Returns the faults that the next process to open the folder finds, with all that a command does when it opens one. */
async function findingsAfterCut(dataDir: string, store: StoreKind, acknowledged: Acknowledged): Promise<string[]> {
  const reports: FilesReport[] = [];
  const { root } = acknowledged;
  // A write that was cut short is the purpose of the power cut.
  const news = (told: FolderNews): void => {
    if (told.type === 'files' && told.report.type !== 'writing') reports.push(told.report);
  };
  const findings = await withWriter({ dataDir, store, news }, async (loom) => {
    if (root === undefined) return [];
    const state = await loom.open(root);
    await loom.recheck(root);
    return acknowledged.findings(state);
  });
  return [
    ...findings,
    // No file was edited: one that seems to be edited, damaged or foreign was left so by Loom itself.
    ...reports.map((told) => describeFilesReport(told).trim()),
    ...(await problemsOf(dataDir, store)),
  ];
}

/** Returns the complaints of a check of the store. */
async function problemsOf(dataDir: string, store: StoreKind): Promise<string[]> {
  const problems =
    store === 'files'
      ? (await checkLogFiles(dataDir)).filter(({ part }) => part !== 'torn')
      : (await checkIntegrity(dataDir)).problems;
  return problems.map(({ part, name, message }) => `${part} ${name ?? ''}: ${message}`);
}

function prepare<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof CommandError) giveUp(error.message);
    throw error;
  }
}

function withoutSyncs(): string[] {
  if (spawnSync('strace', ['--version']).status !== 0) giveUp('needs strace: install strace (apt-get install strace)');
  const calls = 'fsync,fdatasync,sync_file_range';
  return ['strace', '-D', '-f', '-q', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:retval=0`];
}

if (import.meta.main) {
  endWithParent();
  finish(await cutPower(process.argv.slice(2)));
}
