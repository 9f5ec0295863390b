import { forestLogName } from '@loom/kernel/logs';
import type { StoreMaintenance, StoreProblem } from '../../store-maintenance.ts';
import { readDamagedLogFile } from './damaged-log.ts';
import { isListDamaged } from './damaged-list.ts';
import { checkLogFiles } from './log-files-check.ts';
import type { LogFilesProblem } from './log-files-check.ts';
import { rewriteDamagedLogFile } from './rewrite-logs.ts';

/** Returns the upkeep of the log files in a data folder. */
export function filesMaintenance(directory: string): StoreMaintenance {
  return {
    // Every file is made again automatically when it is next used.
    mend: () => Promise.resolve([]),
    check: (complaintAbout) => check(directory, complaintAbout),
    describeLoss: ({ seq }) =>
      `its log is gone, and change ${seq} of it had been acknowledged. What its node files have is taken in. Put its log.jsonl back, or restore a backup.`,
    unlistedAdvice:
      'If an older list was put back, move forest/log.jsonl and forest/log.jsonl.acknowledged away: the list is then made again from the files of all conversations.',
    readDamaged: (log) => readDamagedLogFile(directory, log),
    rewrite: (rewrite) => rewriteDamagedLogFile(directory, rewrite),
  };
}

async function check(directory: string, complaintAbout: (text: string) => string | undefined): Promise<StoreProblem[]> {
  const problems = await checkLogFiles(directory, complaintAbout);
  if (!(await isListDamaged(directory))) return problems.map(describe);
  const message =
    'it is damaged. Its bytes are kept beside it, and it is rebuilt from the conversations; none is missing';
  const others = problems.filter(({ part, name }) => part !== 'log' || name !== forestLogName);
  return [{ what: 'log', where: forestLogName, message, state: 'mended' }, ...others.map(describe)];
}

function describe({ part, name: where, message }: LogFilesProblem): StoreProblem {
  switch (part) {
    case 'log':
      return { what: 'log', where, message, state: 'broken' };
    case 'file':
      return { what: 'counter', where, message: `${message}; it is made again`, state: 'mended' };
    case 'lost':
      return { what: 'lost-log', where, message, state: 'broken' };
    case 'projection':
      return { what: 'snapshot', where, message: `${message}; it is made again`, state: 'mended' };
    case 'torn':
      return { what: 'torn-write', where, message, state: 'shown' };
  }
}
