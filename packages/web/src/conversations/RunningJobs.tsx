import type { ReactElement } from 'react';
import { useConversationsHost } from './conversations-host.ts';
import { ImportMeter } from '../importing/ImportMeter.tsx';
import { useStore } from '../stores/use-store.ts';

const names: Readonly<Record<string, string>> = {
  'root.suggest_titles': 'Finding titles',
  'export.archive': 'Exporting',
};

/** The work on many conversations that goes on, whoever began it, with how far it is. */
export function RunningJobs(): ReactElement | null {
  const { ask, attempt, list } = useConversationsHost();
  const { jobs } = useStore(list);
  const running = jobs.filter(({ kind, state }) => state === 'running' && names[kind] !== undefined);
  if (running.length === 0) return null;
  return (
    <ul className="running-jobs">
      {running.map(({ id, kind, words, progress }) => (
        <li key={id}>
          <strong>{names[kind]}</strong>
          <ImportMeter label={names[kind] ?? kind} progress={progress} />
          <span className="grow cut figures running-words">{words}</span>
          <button type="button" className="text-button" onClick={() => attempt(() => ask('job.cancel', { job: id }))}>
            Cancel
          </button>
        </li>
      ))}
    </ul>
  );
}
