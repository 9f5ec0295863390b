import type { ReactElement } from 'react';
import type { TurnView } from '@loom/sync';
import { useLoom } from '../../app/loom-context.ts';
import { useStore } from '../../stores/use-store.ts';
import { takesNoMoney } from '../../models/model-words.ts';
import { stripFigures } from './strip-figures.ts';
import { useContextSize } from './use-context-size.ts';
import { useTurnCost } from './use-turn-cost.ts';

/** The amount the model reads, how much of it comes from a cache, and the cost. */
export function ContextStrip({ turn }: { turn: TurnView | undefined }): ReactElement {
  const loom = useLoom();
  const conversation = useStore(loom.conversation);
  const { models } = useStore(loom.models.answerers);
  const { providers } = useStore(loom.models.known);
  const size = useContextSize(conversation, models[0], turn);
  const cost = useTurnCost(conversation);
  if (size === undefined || conversation === undefined) return <div className="strip" />;
  const isFree = providers.some((known) => known.name === models[0]?.provider && takesNoMoney(known));
  const { cachedPart, newPart, amount, cache, cost: price, level } = stripFigures(size, cost, isFree);
  return (
    <div className={`strip strip-${level}`}>
      {size.window !== undefined && (
        <span
          className="meter"
          role="meter"
          aria-label="Context used"
          aria-valuenow={Math.round(cachedPart + newPart)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i className="meter-cached" style={{ width: `${cachedPart}%` }} />
          <i style={{ width: `${newPart}%` }} />
        </span>
      )}
      <span className="strip-amount">{amount}</span>
      {cache !== undefined && <span className="not-narrow">{cache}</span>}
      <span>{price}</span>
      {level !== 'calm' && (
        <span className="not-narrow">Little room is left. /compact summarizes the conversation.</span>
      )}
      <span className="grow" />
      <button type="button" className="not-narrow" onClick={() => loom.showRequest()}>
        See the exact request
      </button>
    </div>
  );
}
