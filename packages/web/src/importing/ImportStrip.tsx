import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { ImportMeter } from './ImportMeter.tsx';
import { useRunningImports } from './use-imports.ts';
import { percentDone } from './import-words.ts';

/** A note that an import is running, wherever the reader is. */
export function ImportStrip(): ReactElement | null {
  const { imports } = useLoom();
  const sending = useStore(imports.sending);
  const [running] = useRunningImports();
  if (running === undefined && sending === undefined) return null;
  const words = running === undefined ? `Sending ${sending}` : `Importing ${running.begun?.what ?? running.job.words}`;
  return (
    <PlaceLink place={{ name: 'settings', section: 'import' }} className="import-strip">
      <span className="import-strip-words">
        <span className="cut grow">{words}</span>
        {running?.job.progress !== undefined && <span>{percentDone(running.job.progress)}</span>}
      </span>
      {running !== undefined && <ImportMeter label={words} progress={running.job.progress} />}
    </PlaceLink>
  );
}
