import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { useChosenModel } from '../composer/chosen-model.ts';
import { useIsFree } from '../models/use-is-free.ts';
import { useStore } from '../stores/use-store.ts';
import { useAsked } from '../stores/use-asked.ts';
import { aboutDollars, count, percent, tokens } from '../words/amounts.ts';
import { EditCosts } from './EditCosts.tsx';
import { FactList } from './FactList.tsx';
import type { Fact } from './FactList.tsx';
import { SentMessages } from './SentMessages.tsx';
import { SystemPrompt } from './SystemPrompt.tsx';

/** The next request to the chosen model, how much of it is cached, and its approximate cost. */
export function ContextTab(): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const path = useStore(conversation.path);
  const { turns } = useStore(conversation.watch.whole).root;
  const chosen = useChosenModel();
  const isFree = useIsFree(chosen?.provider);
  const node = path.at(-1);
  const touched = conversation.loadedPath().reduce((latest, one) => Math.max(latest, one.touched), 0);
  const isIdle = turns.length === 0;
  const { provider = '', model = '' } = chosen ?? {};
  const isAskable = node !== undefined && chosen !== undefined;
  const key = isAskable ? JSON.stringify([node, provider, model, isIdle ? touched : '']) : undefined;
  const size = useAsked(key, () =>
    loom.ask('context.size', { node: node ?? '', provider, model, tools: loom.tools.names() }),
  );
  if (node === undefined) return <p className="inspector-empty">Nothing would be sent yet.</p>;
  if (chosen === undefined) {
    return <p className="inspector-empty">Choose a model to see what it would be sent.</p>;
  }
  const { value, failure } = size;
  return (
    <div className="scroll inspector-scroll">
      <EditCosts />
      <section className="inspector-section" aria-busy={size.isAsking}>
        <h2>What would be sent</h2>
        {failure !== undefined && <p className="inspector-failure">{failure}</p>}
        {value !== undefined && (
          <>
            {value.window !== undefined && (
              <ContextBar read={value.tokens} cached={value.cached} window={value.window} />
            )}
            <FactList facts={sizeFacts(value, isFree)} />
          </>
        )}
      </section>
      <SystemPrompt />
      <SentMessages node={node} provider={provider} model={model} stamp={touched} />
    </div>
  );
}

interface Size {
  provider: string;
  model: string;
  messages: number;
  tokens: number;
  cached: number;
  window?: number;
  input_cost_usd?: number;
  uncached_cost_usd?: number;
  invalid_thinking: number;
}

function sizeFacts(size: Size, isFree: boolean): Fact[] {
  const { provider, model, messages, tokens: read, cached, window, input_cost_usd: cost } = size;
  const { invalid_thinking: thoughts } = size;
  return [
    { name: 'Model', value: `${provider}/${model}` },
    { name: 'Reads', value: `${count(messages, 'message')} · about ${tokens(read)} tokens` },
    ...(window === undefined ? [] : [{ name: 'Can read', value: `${tokens(window)} tokens` }]),
    { name: 'From cache', value: read === 0 ? 'nothing yet' : percent(cached / read) },
    { name: 'Price', value: priceWords(cost, isFree) },
    ...(thoughts === 0
      ? []
      : [{ name: 'Not sent', value: `${count(thoughts, 'thinking block')} that became invalid` }]),
  ];
}

function priceWords(cost: number | undefined, isFree: boolean): string {
  if (isFree) return 'free';
  return cost === undefined ? 'price unknown' : `${aboutDollars(cost)} + the answer`;
}

/** The fill level of the window: cached input is light, new input is dark. */
function ContextBar({ read, cached, window }: { read: number; cached: number; window: number }): ReactElement {
  const whole = Math.max(window, 1);
  const share = read / whole;
  const level = share >= 0.95 ? ' context-bar-full' : share >= 0.8 ? ' context-bar-high' : '';
  const percent = (part: number): string => `${Math.min(100, (100 * part) / whole)}%`;
  return (
    <div
      className={`context-bar${level}`}
      role="meter"
      aria-label="Context in use"
      aria-valuemin={0}
      aria-valuemax={whole}
      aria-valuenow={Math.min(read, whole)}
    >
      <span className="context-bar-cached" style={{ width: percent(cached) }} />
      <span className="context-bar-new" style={{ width: percent(read - cached) }} />
    </div>
  );
}
