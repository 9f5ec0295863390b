import { useEffect, useId, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import type { ModelInfo } from './model-answers.ts';
import { filterModels } from './model-filter.ts';
import { ModelGroupList } from './ModelGroupList.tsx';
import { AgentModels } from './AgentModels.tsx';
import { PickerFoot } from './PickerFoot.tsx';
import { AgentRows } from './AgentRows.tsx';
import { agentsOf, filterAgents, isOfAgent, modelOfAgent, stateOf } from './agents.ts';
import { answererWords } from './model-words.ts';
import { pick } from './picked.ts';

/** The pause before an agent that has not answered is asked again, in milliseconds: its program may only be slow. */
const lookAgain = 1_000;

/** Chooses who answers: found by typing, one alone or several side by side. */
export function ModelPicker({ onDone }: { onDone: () => void }): ReactElement {
  const loom = useLoom();
  const { models, go } = loom;
  const known = useStore(models.known);
  const picked = useStore(models.picked);
  const answerers = useStore(models.answerers);
  const [query, setQuery] = useState('');
  const [currentName, setCurrentName] = useState<string>();
  const [isSeveral, setSeveral] = useState(picked.names.length > 1);
  const listId = useId();
  useEffect(() => loom.attempt(() => models.loadAll()), [loom, models]);
  const [withOlder, setWithOlder] = useState(false);
  const all = agentsOf(known.providers, known.models);
  const isAwaited = all.some((agent) => stateOf(agent) === 'silent');
  useEffect(() => {
    if (!isAwaited) return undefined;
    const timer = setTimeout(() => loom.attempt(() => models.loadAll()), lookAgain);
    return () => clearTimeout(timer);
    // Each answer is looked at: the next question comes after it.
  }, [loom, models, isAwaited, known]);
  const agents = filterAgents(all, query).map((agent) => ({ agent, model: modelOfAgent(agent, answerers.models) }));
  const others = known.models.filter((model) => !isOfAgent(model, all));
  const { groups, more, older } = filterModels(others, known.providers, query, {
    hidden: useStore(models.hidden),
    chosen: answerers.models.map(({ name }) => name),
    withOlder,
  });
  const rows = [...agents.map(({ model }) => model), ...groups.flatMap((group) => group.models)];
  // By its name: the list of a provider that answers late moves the rows.
  const current = Math.max(
    0,
    rows.findIndex(({ name }) => name === currentName),
  );
  const choose = (model: ModelInfo | undefined): void => {
    if (model === undefined) return;
    if (!model.usable) {
      onDone();
      go({ name: 'settings', section: isOfAgent(model, all) ? 'agents' : 'models' });
      return;
    }
    const names = picked.names.length > 0 ? picked.names : answerers.models.map(({ name }) => name);
    models.picked.set(pick({ ...picked, names }, model.name, { beside: isSeveral }));
    if (!isSeveral) onDone();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = rows.length - 1;
    if (event.key === 'ArrowDown') setCurrentName(rows[Math.min(last, current + 1)]?.name);
    else if (event.key === 'ArrowUp') setCurrentName(rows[Math.max(0, current - 1)]?.name);
    else if (event.key === 'Enter') choose(rows[current]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="field picker-search">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-label="Find a model"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={rows.length === 0 ? undefined : `${listId}-${current}`}
          placeholder={`Find a model, now ${answererWords(answerers, picked.preset)}`}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setCurrentName(undefined);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ModelGroupList
        id={listId}
        groups={groups}
        start={agents.length}
        above={
          <AgentRows
            id={listId}
            agents={agents}
            current={rows[current]}
            isChosen={(model) => answerers.models.includes(model)}
            onChoose={choose}
          />
        }
        current={rows[current]}
        isChosen={(model) => answerers.models.includes(model)}
        isSeveral={isSeveral}
        onChoose={choose}
      />
      {rows.length === 0 && <p className="picker-note">No model matches “{query}”.</p>}
      {more > 0 && <p className="picker-note">{count(more, 'more model')}: type to narrow it down.</p>}
      {older > 0 && (
        <button type="button" className="text-button picker-note" onClick={() => setWithOlder(true)}>
          Show {count(older, 'older model')}
        </button>
      )}
      <AgentModels agents={all} />
      <PickerFoot isSeveral={isSeveral} setSeveral={setSeveral} onDone={onDone} />
    </>
  );
}
