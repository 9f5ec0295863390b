import { z } from 'zod';
import { useAsked } from '../../stores/use-asked.ts';
import { useStore } from '../../stores/use-store.ts';
import { useWorkHost } from '../work-host.ts';

const contextSize = z.object({ tokens: z.number(), cached: z.number() });

/** Returns what has to be read and paid again if the tools change: everything that a cache holds now. */
export function useReread(): { tokens: number; cost: number | undefined } | undefined {
  const { ask, conversation, answerers, tools } = useWorkHost();
  const tip = useStore(conversation)?.tip;
  const [model] = useStore(answerers).models;
  const key = tip === undefined || model === undefined ? undefined : `${tip} ${model.name}`;
  const { value } = useAsked(key, async () => {
    const { provider, model: name } = model ?? {};
    return contextSize.parse(await ask('context.size', { node: tip, provider, model: name, tools: tools.names() }));
  });
  if (value === undefined || value.cached === 0) return undefined;
  const again = Math.min(value.cached, value.tokens);
  return { tokens: again, cost: model?.price === undefined ? undefined : (again * model.price.input) / 1_000_000 };
}
