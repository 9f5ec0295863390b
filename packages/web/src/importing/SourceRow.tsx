import type { ReactElement } from 'react';
import type { ResultOf } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { ticking } from '../words/ticking.ts';
import { endedWords, foundWords, progressWords } from './import-words.ts';
import { ImportMeter } from './ImportMeter.tsx';
import type { EndedImport } from './imports.ts';
import { useRunningImports } from './use-imports.ts';

type Source = ResultOf<'source.list'>['items'][number];

/** The history of one program: its amount, and the state of its import. */
export function SourceRow({ found }: { found: Source }): ReactElement {
  const { imports, attempt } = useLoom();
  const now = useStore(ticking);
  const running = useRunningImports().find(({ begun }) => begun?.sources.includes(found.source) === true);
  const ended = useStore(imports.ended).findLast(({ sources }) => sources.includes(found.source));
  const left = found.sessions - found.imported;
  const start = (): void => attempt(() => imports.start([found.source], found.name));
  return (
    <div className="setup-row">
      <Icon name="command" />
      <div className="grow">
        <h3>{found.name}</h3>
        <p>
          {foundWords(found, now)}
          {running !== undefined && ` · ${progressWords(running.job, now)}`}
        </p>
        {running !== undefined && <ImportMeter label={`Import of ${found.name}`} progress={running.job.progress} />}
        {running === undefined && ended !== undefined && <Ended ended={ended} source={found.source} />}
      </div>
      {running !== undefined ? (
        <button
          type="button"
          className="button button-quiet"
          aria-label={`Pause the import of ${found.name}`}
          onClick={() => attempt(() => imports.pause(running.job.id))}
        >
          Pause
        </button>
      ) : left === 0 ? (
        <span className="chip chip-good">Imported</span>
      ) : (
        <button
          type="button"
          className="button"
          aria-label={`${ended?.report?.cancelled === true ? 'Go on importing' : `Import ${count(left, 'session')} of`} ${found.name}`}
          onClick={start}
        >
          {ended?.report?.cancelled === true ? 'Go on' : `Import ${left}`}
        </button>
      )}
    </div>
  );
}

/** The result of the last import, in words; all of it on demand. */
function Ended({ ended, source }: { ended: EndedImport; source: string }): ReactElement {
  const { imports } = useLoom();
  return (
    <p className="import-ended" role="status">
      {ended.report === undefined ? ended.failure : endedWords(source, ended.sources, ended.report)}{' '}
      {ended.report !== undefined && (
        <button type="button" className="text-button" onClick={() => imports.shown.set(ended)}>
          Report
        </button>
      )}
    </p>
  );
}
