import type { KeyboardEvent, ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import type { InspectorTab } from '../branching/workspace.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Segments } from '../ui/Segments.tsx';
import { BlockTab } from './BlockTab.tsx';
import { ChangesTab, LastChangesCount } from './ChangesTab.tsx';
import { ContextTab } from './ContextTab.tsx';
import { HistoryTab } from './HistoryTab.tsx';
import { RawTab } from './RawTab.tsx';
import { TreeTab } from './TreeTab.tsx';
import { fewestTurns, TurnsTab } from './TurnsTab.tsx';

/** The sections about the selected block share a tab. */
const blockSections = [
  { value: 'block', label: 'Details' },
  { value: 'history', label: 'History' },
  { value: 'raw', label: 'Raw' },
] as const satisfies readonly { value: InspectorTab; label: string }[];

const names: { readonly [Tab in Exclude<InspectorTab, 'history' | 'raw'>]: string } = {
  turns: 'Turns',
  tree: 'Tree',
  changes: 'Changes',
  context: 'Context',
  block: 'Block',
};
const tabNames = ['turns', 'tree', 'changes', 'context', 'block'] as const;

const panels: { readonly [Tab in InspectorTab]: () => ReactElement } = {
  turns: TurnsTab,
  tree: TreeTab,
  changes: ChangesTab,
  block: BlockTab,
  context: ContextTab,
  history: HistoryTab,
  raw: RawTab,
};

/** The facts about the conversation, beside its text. */
export function Inspector(): ReactElement {
  const { workspace, preferences } = useLoom();
  const asked = usePart(useConversation().turns.items, (items) => items.filter(({ kind }) => kind === 'person').length);
  const tabs = tabNames.filter((name) => name !== 'turns' || asked >= fewestTurns);
  const chosen = useStore(workspace.tab);
  const section = blockSections.find(({ value }) => value === chosen);
  const tab = section === undefined ? (tabs.find((name) => name === chosen) ?? 'tree') : 'block';
  const Panel = panels[section?.value ?? tab];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const at = tabs.indexOf(tab);
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 };
    const next = tabs.at((steps[event.key] ?? Number.NaN) % tabs.length);
    if (steps[event.key] === undefined || next === undefined) return;
    event.preventDefault();
    workspace.tab.set(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <aside className="inspector" aria-label="Inspector">
      <div className="inspector-head">
        <div className="tabs" role="tablist" aria-label="Inspector" onKeyDown={onKeyDown}>
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={name === tab}
              aria-controls="inspector-panel"
              tabIndex={name === tab ? 0 : -1}
              onClick={() => workspace.tab.set(name)}
            >
              {names[name]}
              {name === 'turns' && <span className="tab-count">{asked}</span>}
              {name === 'changes' && <LastChangesCount />}
            </button>
          ))}
        </div>
        <span className="inspector-close">
          <IconButton icon="close" label="Close" onClick={() => preferences.hasInspector.set(false)} />
        </span>
      </div>
      <div className="inspector-panel" role="tabpanel" id="inspector-panel" aria-labelledby={`tab-${tab}`}>
        {section !== undefined && (
          <div className="inspector-sections">
            <Segments
              label="About the block"
              choices={blockSections}
              chosen={section.value}
              onChoose={(value) => workspace.tab.set(value)}
            />
          </div>
        )}
        <Panel />
      </div>
    </aside>
  );
}
