import { z } from 'zod';
import { estimateInputTokens, message } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { buildContext } from '../context/context.ts';
import type { Context } from '../context/context.ts';
import { costOfChange } from '../context/cost.ts';
import { cachedTokens, heardTokens } from '../context/heard-tokens.ts';
import type { PrefixHead } from '../context/prefix.ts';
import { promptOf } from '../root-settings.ts';
import { spokenHead } from '../context/spoken-head.ts';
import type { RootState } from '../state/root-state.ts';
import { priceOfTokens } from '../context/token-price.ts';
import type { LoomEngine } from './calling/engine.ts';
import { isVisible, pathTo } from '../state/tree/tree.ts';
import { refuseValue } from '../refusal.ts';
import type { Outcome } from '../refusal.ts';
import type { NodeState } from '../state/node-state.ts';
import { blockId, nodeId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';
import { readPlace } from './read-root.ts';
import { once } from '../once.ts';

const reader = {
  node: nodeId.describe('The node to answer.'),
  provider: z
    .string()
    .exactOptional()
    .describe('The provider of the model. Default: the provider that last answered above the node.'),
  model: z.string().exactOptional().describe('The model. Default: the one that last answered above the node.'),
};

const tokens = z.int().describe('An estimate that includes the messages, the system prompt and the tool descriptions.');
const window = z.int().exactOptional().describe('The context window of the model in tokens, if known.');
const dollars = z.number().exactOptional();

const getContext = defineOperation({
  name: 'context.get',
  summary: 'Returns what a model would be sent to answer a node, with an estimate of its tokens.',
  params: () =>
    z.strictObject({
      ...reader,
      tools: z.array(z.string()).exactOptional().describe('The names of the tools the model may use. Default: none.'),
    }),
  result: () =>
    z.strictObject({
      system_prompt: z.string().exactOptional(),
      messages: z.array(message),
      tokens,
      window,
      invalid: z.array(z.string()).describe('Blocks whose preceding context has changed since they were written.'),
    }),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: async (engine, _caller, { tools = [], ...params }) => {
    const found = await readContext(engine, { ...params, tools });
    if (!found.ok) return found;
    const { head, context, total } = found.value;
    const { messages, invalid } = context;
    const known = await engine.windowOf(head.provider, head.model);
    const value = {
      ...(head.systemPrompt === undefined ? {} : { system_prompt: head.systemPrompt }),
      messages,
      tokens: total,
      invalid,
      ...(known === undefined ? {} : { window: known }),
    };
    return { ...found, value };
  },
});

const getSize = defineOperation({
  name: 'context.size',
  summary:
    'Estimates what a model would read to answer a node: the tokens, how many of them its provider may have cached, and the cost.',
  params: () =>
    z.strictObject({
      ...reader,
      tools: z
        .array(z.string())
        .exactOptional()
        .describe('The names of the tools the model may use. Default: those of the last turn above the node.'),
    }),
  result: () =>
    z.strictObject({
      provider: z.string().describe('Empty if no model has answered yet and none was named.'),
      model: z.string(),
      messages: z.int().describe('The number of messages that would be sent.'),
      tokens,
      cached: z
        .int()
        .describe(
          'The tokens that the last call of this model with the same beginning read from or wrote to a cache; 0 if its provider has reported no cache.',
        ),
      window,
      input_cost_usd: dollars.describe(
        'The cost of the input if the cache is still valid; absent if the price is unknown.',
      ),
      uncached_cost_usd: dollars.describe('The cost of the input without a cache.'),
      invalid: z.int().describe('The number of blocks whose preceding context has changed since they were written.'),
      invalid_thinking: z
        .int()
        .describe('The number of those blocks that are thinking, which their model is no longer shown.'),
    }),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: async (engine, _caller, params) => {
    const found = await readContext(engine, params);
    if (!found.ok) return found;
    const { head, path, context, total } = found.value;
    const { provider, model } = head;
    const cached = Math.min(total, cachedTokens(path, head, context.invalid));
    const known = await engine.windowOf(provider, model);
    const price = await engine.priceOf(provider, model);
    const costs = price && {
      input_cost_usd: priceOfTokens(price, { fresh: total - cached, cached }),
      uncached_cost_usd: priceOfTokens(price, { fresh: total, cached: 0 }),
    };
    const value = {
      provider,
      model,
      messages: context.messages.length,
      tokens: total,
      cached,
      ...(known === undefined ? {} : { window: known }),
      ...costs,
      invalid: context.invalid.length,
      invalid_thinking: thoughtsAmong(path, context.invalid),
    };
    return { ...found, value };
  },
});

function thoughtsAmong(path: readonly NodeState[], ids: readonly string[]): number {
  const wanted = new Set<string | undefined>(ids);
  return path.flatMap(({ blocks }) => blocks).filter(({ type, block_id: id }) => type === 'thinking' && wanted.has(id))
    .length;
}

interface ReadContext {
  head: PrefixHead;
  path: readonly NodeState[];
  context: Context;
  /** Its tokens, about. */
  total: number;
}

/** Builds the context that a model would be sent to answer a node. */
function readContext(
  engine: LoomEngine,
  params: { node: string; provider?: string; model?: string; tools?: readonly string[] },
): Promise<Outcome<ReadContext>> {
  const { node, provider, model, tools } = params;
  return readPlace(engine, node, (state) => {
    if (!state.nodes.has(node) || !isVisible(state, node)) return undefined;
    const path = pathTo(state, node);
    const spoken = spokenHead(state, path, (names) => engine.registry.describeTools(names));
    const head: PrefixHead = {
      provider: provider ?? spoken?.provider ?? '',
      model: model ?? spoken?.model ?? '',
      tools: tools === undefined ? (spoken?.tools ?? []) : engine.registry.describeTools(tools),
      ...promptOf(state.config),
    };
    const context = buildContext(path, head, engine.hash);
    const estimated = estimateInputTokens(context.messages, (head.systemPrompt ?? '') + JSON.stringify(head.tools));
    return { head, path, context, total: Math.max(estimated, heardTokens(path, head)) };
  });
}

const changeCosts = once(() =>
  z.strictObject({
    costs: z
      .array(
        z.strictObject({
          leaf: z.string().describe('The last node of the branch.'),
          invalid_thinking: z.array(z.string()).describe('Thinking blocks that their model could no longer be shown.'),
          tokens_again: z.int().describe('Cached input tokens that would have to be paid for again.'),
          cost_usd: dollars.describe('The cost of these tokens; absent if the price of the model is unknown.'),
        }),
      )
      .describe('The branches that the change would make more expensive, the most recent first.'),
    unseen: z.int().describe('The number of older branches that were not examined.'),
  }),
);

const getCost = defineOperation({
  name: 'context.cost',
  summary:
    'Estimates what changing a message in place would cost the branches that pass through it. The change can be a new text, blocks to hide from models from there on, a context start, above which models are shown nothing, or another system prompt of the conversation.',
  params: () =>
    z.strictObject({
      node: nodeId,
      content: z.string().exactOptional().describe('The new text of the message.'),
      exclude: z
        .array(blockId)
        .nullable()
        .exactOptional()
        .describe('The blocks to hide, as in node.mark; null for none.'),
      context_start: z
        .boolean()
        .nullable()
        .exactOptional()
        .describe('Whether the context starts at this message, as in node.mark.'),
      system_prompt: z
        .string()
        .nullable()
        .exactOptional()
        .describe('The new system prompt of the conversation; null for none. The message stays as it is.'),
    }),
  result: () => changeCosts(),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: async (engine, _caller, { node, system_prompt: prompt, ...change }) => {
    if (Object.keys(change).length === 0 && prompt === undefined)
      return refuseValue(['content'], 'must be given, or exclude, context_start or system_prompt');
    const found = await readPlace(engine, node, (state) => {
      const before = isVisible(state, node) ? state.nodes.get(node) : undefined;
      const describeTools = (names?: readonly string[]) => engine.registry.describeTools(names);
      const heads = new Map<string, PrefixHead>();
      const headOf = (path: readonly NodeState[]): PrefixHead | undefined => {
        const head = spokenHead(state, path, describeTools);
        if (head !== undefined) heads.set(path.at(-1)?.id ?? '', head);
        return head;
      };
      const changedHead = (head: PrefixHead): PrefixHead =>
        prompt === undefined ? head : withPrompt(head, state, prompt);
      return (
        before && {
          heads,
          ...costOfChange(state, { before, after: changed(before, change), headOf, changedHead }, engine.hash),
        }
      );
    });
    if (!found.ok) return found;
    const { heads, costs, unseen } = found.value;
    const priced: z.infer<ReturnType<typeof changeCosts>>['costs'] = [];
    for (const cost of costs) {
      const { provider, model } = heads.get(cost.leaf) ?? { provider: '', model: '' };
      const price = await engine.priceOf(provider, model);
      priced.push({
        ...cost,
        ...(price && { cost_usd: priceOfTokens(price, { fresh: cost.tokens_again, cached: 0 }) }),
      });
    }
    return { ...found, value: { costs: priced, unseen } };
  },
});

/** The head of a request once the conversation has another system prompt. */
function withPrompt(
  { systemPrompt: _old, ...head }: PrefixHead,
  { config: { systemPrompt: _own, ...config } }: RootState,
  prompt: string | null,
): PrefixHead {
  return { ...head, ...promptOf(prompt === null ? config : { ...config, systemPrompt: prompt }) };
}

/** A change of a message in its place. */
interface Change {
  content?: string;
  exclude?: readonly string[] | null;
  context_start?: boolean | null;
}

/** The node as it would be: as near as one can tell before the change is made. */
function changed(node: NodeState, { content, exclude, context_start: isStart }: Change): NodeState {
  const { exclude: hidden, context_start: wasStart, ...rest } = content === undefined ? node : withText(node, content);
  const hides = exclude === undefined ? hidden : (exclude ?? undefined);
  const starts = isStart === undefined ? wasStart : isStart === true;
  return {
    ...rest,
    ...(hides === undefined ? {} : { exclude: hides }),
    ...(starts === true ? { context_start: true } : {}),
  };
}

/** The node with its first text replaced. */
function withText(node: NodeState, text: string): NodeState {
  const first = node.blocks.findIndex((block) => block.type === 'text');
  const blocks = node.blocks.flatMap((block, index): MessageBlock[] => {
    if (block.type !== 'text') return [block];
    return index === first ? [{ ...block, text }] : [];
  });
  return { ...node, blocks };
}

export const contextOperations = [getContext, getSize, getCost] as const;
