import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { agentName } from '../../conversation/agent-name.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useAsked } from '../../stores/use-asked.ts';
import { useRested } from '../../stores/use-rested.ts';
import { useStore } from '../../stores/use-store.ts';
import { count } from '../../words/amounts.ts';
import { piecesOfChange } from '../../words/pieces-of-change.ts';
import { useWorkHost } from '../../work/work-host.ts';
import { ChangedText } from '../history/ChangedText.tsx';
import { excerptOf } from '../history/excerpt-of-change.ts';
import { readHistory, readText } from '../history/history-reading.ts';
import { historySteps } from '../history/history-steps.ts';
import type { HistoryStep } from '../history/history-steps.ts';
import { flipEdits } from '../history/take-back.ts';
import { whoColor } from '../presence/who-color.ts';
import { keptChanges, openChanges } from './kept-changes.ts';

/** The number of changes shown at once. */
const most = 20;

/** Lists what others changed in a text since its reader last accepted it: each change can be accepted, or taken back alone. */
export function ChangesOfOthers({
  conversation,
  block,
}: {
  conversation: OpenConversation;
  block: string;
}): ReactElement | null {
  const { agent, call } = useWorkHost();
  const store = keptChanges(block);
  const kept = useStore(store);
  const version = useRested(conversation.watch.block(block), 400)?.version ?? 1;
  const { value } = useAsked(`${block} ${version}`, () => readHistory(call, block, kept.upTo));
  const steps = useMemo(() => historySteps(value ?? []), [value]);
  const open = openChanges(steps, agent, kept);
  const [isFolded, setFolded] = useState(false);
  if (open.length === 0) return null;
  const newest = steps.at(-1)?.version ?? kept.upTo;
  return (
    <section className="changes-of-others" aria-label="Changes of others">
      <header>
        <button type="button" className="text-button" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
          {count(open.length, 'change')} by others
        </button>
        <span className="grow" />
        <button type="button" className="text-button" onClick={() => store.set({ upTo: newest, versions: [] })}>
          Accept all
        </button>
      </header>
      {!isFolded && (
        <ol className="scroll" tabIndex={0} aria-label="Changes">
          {open
            .slice(-most)
            .toReversed()
            .map((step) => (
              <Change
                key={step.version}
                block={block}
                step={step}
                before={(step.versions[0]?.version ?? 1) - 1}
                onKeep={() => store.update(({ upTo, versions }) => ({ upTo, versions: [...versions, step.version] }))}
              />
            ))}
        </ol>
      )}
    </section>
  );
}

interface ChangeProps {
  block: string;
  step: HistoryStep;
  /** The version before it. */
  before: number;
  onKeep: () => void;
}

function Change({ block, step, before, onKeep }: ChangeProps): ReactElement {
  const { agent: reader, call, attempt } = useWorkHost();
  const { agent, edit, version, versions } = step;
  const { value } = useAsked(`${block} ${before} ${version}`, async () => {
    const [old, now] = await Promise.all([readText(call, block, before), readText(call, block, version)]);
    return excerptOf(piecesOfChange(old, now));
  });
  const isUndone = edit === 'undone';
  const flip = (): void =>
    attempt(() =>
      flipEdits(call, {
        block,
        versions: new Set(versions.map((one) => one.version)),
        how: isUndone ? 'redo' : 'undo',
      }),
    );
  return (
    <li className={isUndone ? 'change-of-other change-undone' : 'change-of-other'}>
      <span className={`who who-${whoColor(agent, reader)}`}>
        <span className="who-name">{agentName(agent, reader)}</span>
      </span>
      <span className="change-words">{value === undefined ? '…' : <ChangedText pieces={value} />}</span>
      <span className="change-actions">
        <button type="button" className="text-button" onClick={onKeep}>
          Accept
        </button>
        <button type="button" className="text-button" onClick={flip}>
          {isUndone ? 'Bring back' : 'Take back'}
        </button>
      </span>
    </li>
  );
}
