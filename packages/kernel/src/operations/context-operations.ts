import { z } from 'zod';
import { estimateInputTokens, message } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { buildContext } from '../context/context.ts';
import { costOfChange } from '../context/cost.ts';
import type { PrefixHead } from '../context/prefix.ts';
import type { LoomEngine } from '../engine.ts';
import { isVisible, pathTo } from '../forest/reading/tree.ts';
import type { NodeState } from '../state/node-state.ts';
import type { RootState } from '../state/root-state.ts';
import { nodeId } from './ids.ts';
import { defineOperation } from './operation.ts';
import { readPlace } from './read-root.ts';

const getContext = defineOperation({
  name: 'context.get',
  summary: 'What a model would be sent to answer a node, with an estimate of its tokens.',
  params: z.strictObject({
    node: nodeId.describe('The node that would be answered.'),
    provider: z.string().exactOptional().describe('Whose model. Default: the one that spoke last above the node.'),
    model: z.string().exactOptional().describe('Which model. Default: the one that spoke last above the node.'),
    tools: z.array(z.string()).exactOptional().describe('The names of the tools that it may use. Default: none.'),
  }),
  result: z.strictObject({
    system_prompt: z.string().exactOptional(),
    messages: z.array(message),
    tokens: z.int().describe('An estimate: the messages, the system prompt and the descriptions of the tools.'),
    window: z.int().exactOptional().describe('How many tokens the model can read, where that is known.'),
    invalid: z
      .array(z.string())
      .describe('Blocks that were written after something else than what is shown before them now.'),
  }),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: async (engine, _caller, { node, provider, model, tools = [] }) => {
    const found = await readPlace(engine, node, (state) => {
      if (!state.nodes.has(node) || !isVisible(state, node)) return undefined;
      const path = pathTo(state, node);
      const last = headOf(state, path, engine.registry.describeTools(tools));
      const head = { ...last, provider: provider ?? last.provider, model: model ?? last.model };
      const { messages, invalid } = buildContext(path, head, engine.hash);
      const { systemPrompt } = head;
      const estimated = estimateInputTokens(messages, (systemPrompt ?? '') + JSON.stringify(head.tools));
      const tokens = Math.max(estimated, reportedTokens(path, head));
      const prompt = systemPrompt === undefined ? {} : { system_prompt: systemPrompt };
      return { head, context: { ...prompt, messages, tokens, invalid } };
    });
    if (!found.ok) return found;
    const { head, context } = found.value;
    const window = await engine.windowOf(head.provider, head.model);
    return { ...found, value: { ...context, ...(window === undefined ? {} : { window }) } };
  },
});

/** What the last answer of the same model on a path read and said: as much as the next call reads at least. */
function reportedTokens(path: readonly NodeState[], { provider, model }: PrefixHead): number {
  const start = path.findLastIndex(({ context_start: isStart }) => isStart === true);
  // A summary has read what is not shown any more.
  const nodes = path.slice(start + 1).filter(({ parent }) => parent !== path[start]?.id);
  const last = nodes.findLast(({ source }) => source.type === 'model' && source.usage !== undefined)?.source;
  if (last?.type !== 'model' || last.provider !== provider || last.model_name !== model) return 0;
  return (last.usage?.input_tokens ?? 0) + (last.usage?.output_tokens ?? 0);
}

const getCost = defineOperation({
  name: 'context.cost',
  summary: 'What another text of a message, in its place, would cost the branches that go through it.',
  params: z.strictObject({ node: nodeId, content: z.string().describe('The text that the message would have.') }),
  result: z.strictObject({
    costs: z
      .array(
        z.strictObject({
          leaf: z.string().describe('The end of the branch.'),
          invalid_thinking: z.array(z.string()).describe('Thoughts that its model could not be shown any more.'),
          tokens_again: z.int().describe('Input tokens that were cached and would be paid again.'),
        }),
      )
      .describe('The branches that it costs something, the most recent first.'),
    unseen: z.int().describe('How many older branches were not looked at.'),
  }),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: (engine, _caller, { node, content }) =>
    readPlace(engine, node, (state) => {
      const before = isVisible(state, node) ? state.nodes.get(node) : undefined;
      return before && costOfChange(state, changeOf(engine, state, before, content), engine.hash);
    }),
});

function changeOf(engine: LoomEngine, state: RootState, before: NodeState, content: string) {
  const tools = engine.registry.describeTools();
  return {
    before,
    after: withText(before, content),
    headOf: (path: readonly NodeState[]) => {
      const head = headOf(state, path, tools);
      return head.provider === '' ? undefined : head;
    },
  };
}

/** What requests of a branch begin with: those of the model that spoke last on it. */
function headOf(state: RootState, path: readonly NodeState[], tools: PrefixHead['tools']): PrefixHead {
  const source = path.findLast((node) => node.source.type === 'model')?.source;
  const [provider, model] = source?.type === 'model' ? [source.provider, source.model_name] : ['', ''];
  const { systemPrompt } = state.config;
  return { provider, model, tools, ...(systemPrompt === undefined ? {} : { systemPrompt }) };
}

/** The node with its first text replaced: as near as one can tell before the edit is made. */
function withText(node: NodeState, text: string): NodeState {
  const first = node.blocks.findIndex((block) => block.type === 'text');
  const blocks = node.blocks.flatMap((block, index): MessageBlock[] => {
    if (block.type !== 'text') return [block];
    return index === first ? [{ ...block, text }] : [];
  });
  return { ...node, blocks };
}

export const contextOperations = [getContext, getCost] as const;
