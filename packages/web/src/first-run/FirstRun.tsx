import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { focusComposer } from '../composer/focus.ts';
import { KeyField } from '../models/KeyField.tsx';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { plantSample } from './plant-sample.ts';
import { ServerRows } from './ServerRows.tsx';
import { SetupRow } from './SetupRow.tsx';

/** The first visit: what can answer here, and what to do for more. The message field stays below it, so nothing has to be done first. */
export function FirstRun(): ReactElement {
  const loom = useLoom();
  const { providers, state } = useStore(loom.models.known);
  const withKey = providers.filter(({ local, usable }) => !local && usable);
  const tryDemo = (): void =>
    loom.attempt(async () => {
      loom.models.picked.set({ names: ['demo'], n: 1 });
      const { root, node } = await plantSample(loom);
      loom.go({ name: 'conversation', root, node });
    });
  const useProvider = (name: string): void => {
    const model = loom.models.known.getSnapshot().models.find(({ provider, usable }) => provider === name && usable);
    if (model !== undefined) loom.models.picked.set({ names: [model.name], n: 1 });
    focusComposer();
  };
  return (
    <div className="first-run scroll">
      <div className="first-run-column">
        <h2>Choose what answers</h2>
        <p className="lede">
          Loom keeps your conversations on this computer, as trees that you can fork, edit and compare. Answers come
          from a model: one that runs here, one behind an API key, or the demo.
        </p>
        <div className="setup-rows">
          <ServerRows isLooking={state === 'loading'} onUse={useProvider} />
          {withKey.map((provider) => (
            <SetupRow
              key={provider.name}
              icon="key"
              provider={provider}
              text={keyWords[provider.key]}
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
            <KeyField onSaved={useProvider} />
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
        <p className="first-run-note">Or write below: until you choose, the demo answers.</p>
      </div>
    </div>
  );
}

const keyWords = {
  none: 'It needs no key.',
  file: 'Its key is in the settings.',
  environment: 'Its key was found in the environment.',
  program: 'Its key comes from a program of yours.',
} as const;
