import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { focusComposer } from '../composer/focus.ts';
import { KeyField } from '../models/KeyField.tsx';
import { usualModelOf } from '../models/picked.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { ImportPanel } from '../importing/ImportPanel.tsx';
import { OwnSessions } from '../importing/OwnSessions.tsx';
import { useRunningImports } from '../importing/use-imports.ts';
import { answererNote } from './answerer-note.ts';
import { plantSample } from './plant-sample.ts';
import { ServerRows } from './ServerRows.tsx';
import { SetupRow } from './SetupRow.tsx';

/**
 * The first visit: the reader's own sessions, the models that can answer here, and the ways to get more. The message field stays below it,
 * so nothing has to be done first.
 */
export function FirstRun(): ReactElement {
  const loom = useLoom();
  const known = useStore(loom.models.known);
  const { providers, state } = known;
  const picked = useStore(loom.models.picked);
  const { models: answering } = useStore(loom.models.answerers);
  const withKey = providers.filter(({ local, usable }) => !local && usable);
  const found = useStore(loom.imports.found);
  const hasSessions = (found?.items.length ?? 0) > 0;
  const [isKnown, setKnown] = useState(false);
  // A key that could not be checked is kept, and who answers stays as it was.
  const [checked, setChecked] = useState<readonly string[]>([]);
  // Readers who may not import see the rest.
  useEffect(
    () =>
      void loom.imports
        .refresh()
        .catch(() => {})
        .finally(() => setKnown(true)),
    [loom],
  );
  const newest = useStore(loom.list).items[0];
  const isImporting = useRunningImports().length > 0;
  const tryDemo = (): void =>
    loom.attempt(async () => {
      loom.models.picked.set({ names: ['demo'], n: 1 });
      const { root, node } = await plantSample(loom);
      loom.go({ name: 'conversation', root, node });
    });
  const useProvider = (name: string): void => {
    const model = usualModelOf(name, loom.models.known.getSnapshot());
    if (model !== undefined) loom.models.picked.set({ names: [model.name], n: 1 });
    focusComposer();
  };
  // The findings come first on the page: nothing is shown before them that would have to move.
  if (!isKnown) return <div className="first-run" />;
  return (
    <div className="first-run scroll">
      <div className="first-run-column">
        <OwnSessions />
        {hasSessions ? (
          <h2 className="first-run-next">Then continue any of them with</h2>
        ) : (
          <>
            <h2>Choose a model</h2>
            <p className="lede">
              Loom keeps your conversations on this computer, as trees that you can fork, edit and compare. Answers come
              from a model: one that runs here, one behind an API key, or the demo.
            </p>
          </>
        )}
        <div className="setup-rows">
          <ServerRows isLooking={state === 'loading'} onUse={useProvider} />
          {withKey.map((provider) => (
            <SetupRow
              key={provider.name}
              icon="key"
              provider={provider}
              text={keyWords[provider.key]}
              isChecked={checked.includes(provider.name)}
              onUse={() => useProvider(provider.name)}
            />
          ))}
          <div className="setup-row">
            <Icon name="key" />
            <div className="grow">
              <h3>API key</h3>
              <p>
                Anthropic, OpenAI, Google or OpenRouter. Loom sees from the key which one it is, and asks it at once.
              </p>
            </div>
            <KeyField
              onSaved={(name, isChecked) => {
                if (!isChecked) return;
                setChecked((before) => [...before, name]);
                useProvider(name);
              }}
            />
          </div>
          <div className="setup-row">
            <Icon name="play" />
            <div className="grow">
              <h3>Demo model</h3>
              <p>Answers from a script, offline and free. Comes with a small sample forest.</p>
            </div>
            <button type="button" className="button" onClick={tryDemo}>
              Try it
            </button>
          </div>
        </div>
        {newest === undefined ? (
          <p className="first-run-note">Or write below: {answererNote(answering, picked, known)}</p>
        ) : (
          <div className="first-run-end">
            <button
              type="button"
              className="button button-primary"
              onClick={() => loom.go({ name: 'conversation', root: newest.id })}
            >
              Open my conversations
            </button>
            {isImporting && <span>The import continues in the background.</span>}
          </div>
        )}
        {found !== undefined && !hasSessions && (
          <>
            <h2 className="first-run-next">Bring your conversations along</h2>
            <ImportPanel />
          </>
        )}
      </div>
    </div>
  );
}

const keyWords = {
  none: 'It needs no key.',
  file: 'Its key is in the settings.',
  environment: 'Its key was found in the environment.',
  program: 'Its key comes from a program of yours.',
  login: 'You are logged in.',
} as const;
