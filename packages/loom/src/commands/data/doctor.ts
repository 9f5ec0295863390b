import { existsSync } from 'node:fs';
import { settleRestoration } from '@loom/data-folder';
import {
  createExamination,
  examineFolder,
  examineStore,
  lostLogOf,
  maintenanceOf,
  setAside,
  takeNews,
} from '@loom/data-folder/upkeep';
import type { Examination } from '@loom/data-folder/upkeep';
import type { StoreMaintenance } from '@loom/stores/maintenance';
import { corruptAdvice } from '@loom/stores/sqlite';
import { explainArchives } from '../../archive/archive-failure.ts';
import { count, Progress } from '../../terminal/progress.ts';
import { noteOf, printFolderNews, tellNews } from '../../runtime/files-note.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { isDatabaseUrl } from '../../command-line/store-kind.ts';
import { withWriter } from '../../runtime/opened-folder.ts';
import type { LoomOptions } from '../../runtime/opened-folder.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { orFail } from '../../words/refusal-error.ts';
import { describeKept, wordFinding } from '../../words/finding-words.ts';
import type { WordedFinding } from '../../words/finding-words.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { describeSandbox, readSandbox } from '../../words/sandbox-words.ts';
import type { SandboxState } from '../../words/sandbox-words.ts';

/** `loom doctor`: checks everything, and makes derived data again. */
export async function examine(call: Call): Promise<ExitCode> {
  const { options, dataDir, store, isJson, terminal } = call;
  if (isDatabaseUrl(store)) return (await import('./doctor-database.ts')).examineDatabase(call, store);
  if (options.has('restored')) {
    throw new UsageError('needs-database', '--restored is for a store in PostgreSQL', {
      advice: `A data folder is restored by ${suggest('restore-backup')}, which does the same on its way.`,
    });
  }
  if (!existsSync(dataDir)) {
    throw new LoomError('no-data', `there is no data in ${dataDir}`, {
      advice: 'Name the folder with your data with --data-dir.',
    });
  }
  const news = printFolderNews;
  await settleRestoration(dataDir, news);
  const examination = createExamination();
  const progress = new Progress(noteOf(terminal, isJson));
  if (options.has('set-aside')) {
    const aside = await explainArchives(() => setAside(dataDir, { news, describe: describeKept }));
    examination.findings.push(...aside);
  }
  const maintenance = await maintenanceOf(dataDir);
  const isReadable =
    maintenance === undefined ||
    (await explainArchives(() => examineStore(examination, maintenance, { dataDir, news })));
  const isAcknowledged = options.has('acknowledge');
  const sandbox = isReadable
    ? await examineData({ dataDir, store }, examination, { maintenance, progress, isAcknowledged })
    : undefined;
  if (isAcknowledged) acknowledge(examination);
  const { sweptBlobs, ...seen } = examination;
  const unlistedAdvice = maintenance?.unlistedAdvice ?? '';
  const findings = seen.findings.map((finding) => wordFinding(finding, { dataDir, unlistedAdvice }));
  const isFine = findings.every(({ state }) => state !== 'broken');
  if (isJson) terminal.out(`${JSON.stringify({ ok: isFine, ...seen, findings, swept_blobs: sweptBlobs, sandbox })}\n`);
  else printExamination(examination, findings, options.has('set-aside') ? stillBroken : setAsideAdvice, terminal);
  if (!isJson && sandbox !== undefined) terminal.out(`${describeSandbox(sandbox)}\n`);
  return isFine ? EXIT.ok : EXIT.failed;
}

function examineData(
  options: Pick<LoomOptions, 'dataDir' | 'store'>,
  examination: Examination,
  { maintenance, progress, isAcknowledged }: ExaminationParts,
): Promise<SandboxState | undefined> {
  const say = tellNews((text) => void process.stderr.write(text));
  const news: typeof say = (told) => {
    if (!takeNews(examination, told, maintenance)) say(told);
  };
  return withWriter({ ...options, news }, async (loom) => {
    await examineFolder({ ...loom, forest: loom.engine.forest }, examination, (done, all) => {
      progress.tick(() => `reading: ${done} of ${count(all, 'conversation')}`);
    });
    if (isAcknowledged) orFail(await loom.engine.acknowledgeLosses({ agent: 'person', id: loom.newId() }));
    return readSandbox(loom);
  });
}

interface ExaminationParts {
  maintenance: StoreMaintenance | undefined;
  progress: Progress;
  isAcknowledged: boolean;
}

/** Marks losses as shown. The person who asks for this has read what is lost: it is shown once more, and is no longer a fault. */
function acknowledge({ findings }: Examination): void {
  for (const finding of findings) {
    if (finding.type === 'store' && lostLogOf(finding) !== undefined)
      finding.problem = { ...finding.problem, state: 'shown' };
  }
}

function printExamination(
  { roots, nodes, blobs, sweptBlobs }: Examination,
  findings: readonly WordedFinding[],
  logAdvice: () => string,
  terminal: Terminal,
): void {
  for (const { what, where, message, state } of findings) terminal.out(`${state} ${what} ${where}: ${message}\n`);
  const looked = `${count(roots, 'conversation')} with ${count(nodes, 'message')} and ${count(blobs, 'blob')}`;
  const broken = findings.filter(({ state }) => state === 'broken').length;
  if (sweptBlobs > 0) terminal.out(`Removed ${count(sweptBlobs, 'blob')} that nothing has cited for a week.\n`);
  const isDatabase = findings.some(({ what, state }) => what === 'database' && state === 'broken');
  const isLog = findings.some(({ what, state }) => what === 'log' && state === 'broken');
  const isLost = findings.some(({ what, state }) => what === 'lost-log' && state === 'broken');
  const advice = isDatabase
    ? corruptAdvice
    : `A backup may have it: ${suggest('restore-backup')}.${isLog ? logAdvice() : ''}${isLost ? lossAdvice() : ''}`;
  terminal.out(broken === 0 ? `${looked}: all is well.\n` : `${looked}: ${count(broken, 'thing')} broken. ${advice}\n`);
}

const setAsideAdvice = (): string =>
  ` Without one, ${suggest('doctor --set-aside')} opens a conversation without the changes that cannot be read.`;

const lossAdvice = (): string => ` ${suggest('doctor --acknowledge')} ends the reminders of logs that are lost.`;

const stillBroken = (): string =>
  ' Nothing more can be set aside: nothing of the log can be read. The node files of its conversation are left as they are.';
