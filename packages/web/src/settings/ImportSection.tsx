import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { ImportPanel } from '../importing/ImportPanel.tsx';

/** The import of other programs' histories, at any time. */
export function ImportSection(): ReactElement {
  const { imports, attempt } = useLoom();
  useEffect(() => attempt(() => imports.refresh()), [imports, attempt]);
  return (
    <>
      <h2>Import</h2>
      <p className="settings-note">
        Loom looked in the usual places on this computer and only counted. It copies what you choose, and never changes
        the originals. Importing again adds what is new; what you have changed here stays.
      </p>
      <ImportPanel />
    </>
  );
}
