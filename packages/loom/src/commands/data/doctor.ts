import { existsSync } from 'node:fs';
import { forestCodec, forestLogName, rootCodec } from '@loom/kernel/logs';
import type { LostLog } from '@loom/stores/files';
import type { FilesReport } from '@loom/node-files';
import type { StoreMaintenance } from '@loom/stores/maintenance';
import { corruptAdvice } from '@loom/stores/sqlite';
import { explainArchives } from '../../archive/archive-failure.ts';
import { count, Progress } from '../../progress.ts';
import { describeFilesReport, noteOf, printFolderNews, tellNews } from '../../runtime/files-note.ts';
import type { Call } from '../../command.ts';
import { examineBlobs } from '../../doctor/examine-blobs.ts';
import { examineLogs } from '../../doctor/examine-logs.ts';
import type { Examination, Finding } from '../../doctor/examination.ts';
import { setAside } from '../../doctor/set-aside.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { LoomError } from '../../failure.ts';
import { asOnlyWriter, settleRestoration } from '@loom/data-folder';
import { maintenanceOf } from '@loom/data-folder/upkeep';
import type { FolderNews } from '@loom/data-folder';
import { listIds } from '../../runtime/conversations.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import type { OpenedFolder, LoomOptions } from '../../runtime/opened-folder.ts';
import type { Terminal } from '../../terminal.ts';

/** `loom doctor`: looks at everything, and makes again what can be made again. */
export async function examine({ options, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  if (!existsSync(dataDir)) {
    throw new LoomError('no-data', `there is no data in ${dataDir}`, {
      advice: 'Name the folder with your data with --data-dir.',
    });
  }
  await settleRestoration(dataDir, printFolderNews);
  const examination: Examination = { roots: 0, nodes: 0, blobs: 0, findings: [] };
  const progress = new Progress(noteOf(terminal, isJson));
  if (options.has('set-aside')) examination.findings.push(...(await explainArchives(() => setAside(dataDir))));
  const maintenance = await maintenanceOf(dataDir);
  if (maintenance !== undefined) {
    examination.findings.push(...(await explainArchives(() => examineStore(dataDir, maintenance))));
  }
  // Without the list of conversations nothing can be opened.
  const isReadable = !examination.findings.some(
    ({ what, where, state }) =>
      state === 'broken' && (what === 'database' || (what === 'log' && where === forestLogName)),
  );
  const swept = isReadable ? await examineData({ dataDir, store }, examination, maintenance, progress) : 0;
  const isFine = examination.findings.every(({ state }) => state !== 'broken');
  if (isJson) terminal.out(`${JSON.stringify({ ok: isFine, ...examination, swept_blobs: swept })}\n`);
  else printExamination(examination, swept, options.has('set-aside') ? stillBroken : setAsideAdvice, terminal);
  return isFine ? EXIT.ok : EXIT.failed;
}

/** What is the matter with the store itself; what keeps it from being opened and can be made again is. */
async function examineStore(dataDir: string, maintenance: StoreMaintenance): Promise<Finding[]> {
  const writer = { holder: `doctor-${process.pid}`, news: printFolderNews };
  const mended = await asOnlyWriter(dataDir, writer, () => maintenance.mend(Date.now()));
  return [...mended, ...(await maintenance.check(complaintAbout))];
}

function complaintAbout(text: string): string | undefined {
  try {
    rootCodec.decode(text);
    return undefined;
  } catch (error) {
    try {
      forestCodec.decode(text);
      return undefined;
    } catch {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

function examineData(
  options: Pick<LoomOptions, 'dataDir' | 'store'>,
  examination: Examination,
  maintenance: StoreMaintenance | undefined,
  progress: Progress,
): Promise<number> {
  const { dataDir } = options;
  const { findings } = examination;
  const say = tellNews((text) => void process.stderr.write(text));
  const noteFile = (report: FilesReport): void => {
    const state = report.type === 'unknown' || report.type === 'newer' || report.type === 'failed' ? 'shown' : 'mended';
    findings.push({ what: 'file', where: dataDir, message: describeFilesReport(report).trim(), state });
  };
  const noteLost = (loss: LostLog): void => {
    const isFound = findings.some(({ what, where }) => what === 'lost-log' && where === loss.log);
    if (isFound) return;
    findings.push({
      what: 'lost-log',
      where: loss.log,
      message: maintenance?.describeLoss(loss) ?? '',
      state: 'broken',
    });
  };
  const news = (told: FolderNews): void => {
    if (told.type === 'files' && told.report.type !== 'writing') noteFile(told.report);
    else if (told.type === 'lost-log') noteLost(told.lost);
    // What is wrong with the list was found before.
    else if (told.type !== 'damaged-list') say(told);
  };
  const hasBadCounter = findings.some(({ what }) => what === 'counter');
  return withWriter({ ...options, news }, async (loom) => {
    if (hasBadCounter) await makeCountersAgain(loom);
    const cited = await examineLogs(loom, examination, maintenance?.unlistedAdvice ?? '', (done, all) => {
      progress.tick(() => `reading: ${done} of ${count(all, 'conversation')}`);
    });
    // Roots are looked through when they are read.
    for (const { file, message, effect } of loom.adoption.problems) {
      if (effect === 'unreadable') findings.push({ what: 'older-data', where: file, message, state: 'shown' });
    }
    const broken = new Set(
      findings.flatMap(({ what, where, state }) => (what === 'log' && state === 'broken' ? [where] : [])),
    );
    // Files of a log that cannot be read stay as they are: they may be all that is left of it.
    for (const root of await listIds(loom)) if (!broken.has(root)) await loom.recheck(root);
    for (const { file, kept, message } of await loom.quarantined()) {
      findings.push({ what: 'quarantine', where: kept, message: `${file}: ${message}`, state: 'shown' });
    }
    return examineBlobs(loom, dataDir, cited, examination);
  });
}

/** Both are written anew with their next use. */
async function makeCountersAgain({ store, newId }: OpenedFolder): Promise<void> {
  const id = newId();
  await store.nextClientId();
  await store.lease(`doctor-${id}`, id, 1);
  await store.release(`doctor-${id}`, id);
}

function printExamination(
  { roots, nodes, blobs, findings }: Examination,
  swept: number,
  logAdvice: string,
  terminal: Terminal,
): void {
  for (const { what, where, message, state } of findings) terminal.out(`${state} ${what} ${where}: ${message}\n`);
  const looked = `${count(roots, 'conversation')} with ${count(nodes, 'message')} and ${count(blobs, 'blob')}`;
  const broken = findings.filter(({ state }) => state === 'broken').length;
  if (swept > 0) terminal.out(`Removed ${count(swept, 'blob')} that nothing has cited for a week.\n`);
  const isDatabase = findings.some(({ what, state }) => what === 'database' && state === 'broken');
  const isLog = findings.some(({ what, state }) => what === 'log' && state === 'broken');
  const advice = isDatabase ? corruptAdvice : `A backup may have it: loom restore-backup.${isLog ? logAdvice : ''}`;
  terminal.out(broken === 0 ? `${looked}: all is well.\n` : `${looked}: ${count(broken, 'thing')} broken. ${advice}\n`);
}

const setAsideAdvice =
  ' Without one, loom doctor --set-aside opens a conversation without the changes that cannot be read.';

const stillBroken =
  ' Nothing more can be set aside: nothing of the log can be read. The node files of its conversation are left as they are.';
