import { forestCodec, forestLogName, homeCodec, rootCodec } from '@loom/kernel/logs';
import type { StoreMaintenance } from '@loom/stores/maintenance';
import type { TellFolderNews } from '../folder-news.ts';
import { asOnlyWriter } from '../opening/writer-lock.ts';
import type { Examination } from './examination.ts';
import { brokenLogOf } from './examination.ts';

/**
 * Reports the problems of the store itself, and rebuilds those parts that keep it from being opened and can be rebuilt. Returns true if the folder
 * can be opened: not without the list of conversations.
 */
export async function examineStore(
  { findings }: Examination,
  maintenance: StoreMaintenance,
  { dataDir, news }: { dataDir: string; news: TellFolderNews },
): Promise<boolean> {
  const mended = await asOnlyWriter(dataDir, { holder: `doctor-${process.pid}`, news }, () =>
    maintenance.mend(Date.now()),
  );
  const problems = [...mended, ...(await maintenance.check(complaintAbout))];
  for (const problem of problems) findings.push({ type: 'store', problem });
  return (
    !problems.some(({ what, state }) => what === 'database' && state === 'broken') &&
    !findings.some((finding) => brokenLogOf(finding) === forestLogName)
  );
}

function complaintAbout(text: string): string | undefined {
  const [complaint, ...others] = [rootCodec, forestCodec, homeCodec].map((codec) => {
    try {
      codec.decode(text);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  });
  return others.includes(undefined) ? undefined : complaint;
}
