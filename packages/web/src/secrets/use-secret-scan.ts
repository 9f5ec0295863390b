import { useEffect, useState } from 'react';
import type { ReadableStore } from '../stores/store.ts';
import { describeFailure } from '../words/failures.ts';
import { useWorkHost } from '../work/work-host.ts';
import { scanJob, secretReport, startedScan } from './secret-report.ts';
import type { SecretReport } from './secret-report.ts';

/** The long work on the server, as the list of conversations tells it. */
export type Jobs = ReadableStore<{
  readonly jobs: readonly { readonly id: string; readonly state: string; readonly words: string }[];
}>;

/** A scan that goes on, has ended, or did not. */
export interface SecretScan {
  readonly report: SecretReport | undefined;
  /** The progress, in words. */
  readonly progress: string;
  readonly failure: string | undefined;
  readonly isScanning: boolean;
  readonly again: () => void;
}

/** Looks for secrets when it is first shown, and on demand. A scan that nobody waits for is cancelled. */
export function useSecretScan(root: string | undefined, jobs: Jobs): SecretScan {
  const { ask } = useWorkHost();
  const [tries, setTries] = useState(0);
  const [report, setReport] = useState<SecretReport>();
  const [progress, setProgress] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isScanning, setScanning] = useState(true);
  useEffect(() => {
    let isWanted = true;
    let stop = (): void => {};
    const scan = async (): Promise<void> => {
      const { job } = startedScan.parse(await ask('secret.scan', root === undefined ? {} : { roots: [root] }));
      const ended = new Promise<void>((resolve) => {
        const look = (): void => {
          const state = jobs.getSnapshot().jobs.find(({ id }) => id === job);
          if (isWanted && state !== undefined) setProgress(state.words);
          if (state !== undefined && state.state !== 'running') resolve();
        };
        const unsubscribe = jobs.subscribe(look);
        stop = () => {
          unsubscribe();
          resolve();
        };
        look();
      });
      if (!isWanted) stop();
      // A short one may be over before the list tells of it.
      if (scanJob.parse(await ask('job.get', { job })).state === 'running') await ended;
      stop();
      if (!isWanted) {
        await ask('job.cancel', { job });
        return;
      }
      const { result, words } = scanJob.parse(await ask('job.get', { job }));
      const read = secretReport.safeParse(result);
      if (read.success) setReport(read.data);
      else setFailure(words);
    };
    setScanning(true);
    setFailure(undefined);
    scan()
      .catch((error: unknown) => isWanted && setFailure(describeFailure(error)))
      .finally(() => isWanted && setScanning(false));
    return () => {
      isWanted = false;
      stop();
    };
  }, [ask, jobs, root, tries]);
  return { report, progress, failure, isScanning, again: () => setTries((before) => before + 1) };
}
