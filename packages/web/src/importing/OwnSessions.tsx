import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { ImportPanel } from './ImportPanel.tsx';
import { useRunningImports } from './use-imports.ts';
import { grouped } from '../words/amounts.ts';

/** The reader's own sessions, at once: how many there are, and one click to have them here. Nothing if none were found. */
export function OwnSessions(): ReactElement | null {
  const { imports, attempt } = useLoom();
  const found = useStore(imports.found);
  const running = useRunningImports();
  if (found === undefined || found.items.length === 0) return null;
  const open = found.items.filter(({ sessions, imported }) => imported < sessions);
  const left = open.reduce((sum, { sessions, imported }) => sum + sessions - imported, 0);
  const sources = open.map(({ source }) => source);
  const names = open.map(({ name }) => name).join(', ');
  return (
    <section className="own-sessions" aria-label="Your sessions">
      <h2>Your conversations are already here</h2>
      <p className="lede">
        Loom looked in the usual places on this computer and only counted. It copies what you choose, and never changes
        the originals.
      </p>
      <ImportPanel />
      {open.length > 1 && running.length === 0 && (
        <div className="first-run-end">
          <button
            type="button"
            className="button button-primary"
            onClick={() => attempt(() => imports.start(sources, names))}
          >
            Import all {grouped(left)} sessions
          </button>
        </div>
      )}
    </section>
  );
}
