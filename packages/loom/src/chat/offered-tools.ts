import type { ToolDescription } from '@loom/kernel';
import type { Loom } from '../runtime/loom.ts';
import { orFail } from '../words/refusal-error.ts';

/** Returns the tools that a model is offered in a conversation, or in a new one. */
export async function offeredTools(
  loom: Loom,
  { provider, model }: { provider: string; model: string },
  root?: string,
): Promise<ToolDescription[]> {
  const place = root === undefined ? {} : { root };
  const page = { provider, model, offered: true, limit: 1000, ...place };
  const { items } = orFail(await loom.call('tool.list', page));
  return items.map(({ name, description, parameters }) => ({ name, description, parameters }));
}
