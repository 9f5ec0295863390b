import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { Switch } from '../ui/Switch.tsx';
import { SourceRow } from './SourceRow.tsx';

/** The number of recent remarks on followed folders that are shown. */
const mostRemarks = 5;

/** The histories of other programs on this machine, files from elsewhere, and whether agents are followed. */
export function ImportPanel(): ReactElement {
  const { imports, attempt } = useLoom();
  const found = useStore(imports.found);
  useEffect(() => {
    imports.isWatched.set(true);
    return () => imports.isWatched.set(false);
  }, [imports]);
  return (
    <>
      <div className="setup-rows">
        {found?.items.map((source) => (
          <SourceRow key={source.source} found={source} />
        ))}
        <FileRow />
        {found !== undefined && found.items.length > 0 && (
          <div className="setup-row">
            <Icon name="eye" />
            <div className="grow">
              <h3>Follow agents while they work</h3>
              <p>What they write in a terminal appears here at once, as long as Loom runs.</p>
              {found.remarks.slice(-mostRemarks).map(({ number, text }) => (
                <p key={number} className="import-ended">
                  {text}
                </p>
              ))}
            </div>
            <Switch
              label="Follow agents while they work"
              isOn={found.following}
              onChange={(isOn) => attempt(() => imports.follow(isOn))}
            />
          </div>
        )}
      </div>
      {found?.items.some(({ source }) => source === 'claude-code') === true && (
        <p className="import-note">
          <Icon name="warning" small />
          Claude Code deletes sessions after 30 days, unless it was told otherwise. What Loom has imported stays.
        </p>
      )}
    </>
  );
}

/** Exports that were saved as files. */
function FileRow(): ReactElement {
  const { imports, attempt } = useLoom();
  const sending = useStore(imports.sending);
  const field = useRef<HTMLInputElement>(null);
  return (
    <div className="setup-row">
      <Icon name="download" />
      <div className="grow">
        <h3>Export of ChatGPT, Claude, Open WebUI, LibreChat or LobeChat</h3>
        <p>{sending === undefined ? 'Drop the .zip or .json anywhere in this window.' : `Sending ${sending}…`}</p>
      </div>
      <button
        type="button"
        className="button button-quiet"
        disabled={sending !== undefined}
        onClick={() => field.current?.click()}
      >
        Choose a file…
      </button>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        accept=".zip,.json,.jsonl,.zst,.db"
        aria-label="Files to import"
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          if (chosen.length > 0) attempt(() => imports.startFiles(chosen));
        }}
      />
    </div>
  );
}
