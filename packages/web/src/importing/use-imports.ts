import type { JobFacts } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import type { StartedImport } from './imports.ts';

/** An import that goes on; by whom it was begun is not known of all of them. */
export interface RunningImport {
  readonly job: JobFacts;
  readonly begun?: StartedImport;
}

/** The imports that go on, whichever page or command has begun them. */
export function useRunningImports(): RunningImport[] {
  const { list, imports } = useLoom();
  const { jobs } = useStore(list);
  const begun = useStore(imports.begun);
  return jobs
    .filter(({ kind, state }) => kind === 'import.start' && state === 'running')
    .map((job) => {
      const own = begun.find((known) => known.job === job.id);
      return own === undefined ? { job } : { job, begun: own };
    });
}
