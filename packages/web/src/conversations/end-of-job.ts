import type { ResultOf } from '@loom/kernel';
import type { ConversationsHost } from './conversations-host.ts';

/** Resolves once a job of the server is over, with what became of it. */
export async function endOfJob(
  { list, ask }: Pick<ConversationsHost, 'list' | 'ask'>,
  job: string,
): Promise<ResultOf<'job.get'>> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      const known = list.getSnapshot().jobs.find(({ id }) => id === job);
      if (known === undefined || known.state === 'running') return;
      stop();
      resolve();
    };
    const stop = list.subscribe(look);
    look();
  });
  return ask('job.get', { job });
}
