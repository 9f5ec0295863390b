import { z } from 'zod';
import { diffTexts, formatDiff } from '@loom/blocks/patch';
import { rootOfId } from '../forest/reading/block-place.ts';
import type { KeptCall } from '../calls/call-records.ts';
import { modelOf, previousCall, rebuildCall } from '../calls/rebuilt-call.ts';
import type { ModelSource } from '../calls/rebuilt-call.ts';
import { layOut } from '../calls/wire-text.ts';
import type { LoomEngine } from './calling/engine.ts';
import { refuseMissingNode } from '../forest/editing/obstacles.ts';
import { liveChildren } from '../state/tree/tree.ts';
import { refuse } from '../refusal.ts';
import type { Outcome } from '../refusal.ts';
import type { NodeState } from '../state/node-state.ts';
import type { RootState } from '../state/root-state.ts';
import { nodeId, rootId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';
import { pageOf, pageParams, takePage } from './page.ts';
import { once } from '../once.ts';

const callFacts = {
  provider: z.string(),
  model: z.string(),
  turn: z.string().exactOptional(),
  nodes: z
    .array(z.string())
    .describe('The nodes it wrote; none if it was stopped before its first word or only produced a title.'),
  ended_at: z.string().exactOptional().describe('A time, as ISO 8601 in UTC.'),
};

const listCalls = defineOperation({
  name: 'call.list',
  summary: 'Lists the last 20 model calls of a conversation, whose requests and responses are kept.',
  params: () => z.strictObject({ root: rootId, ...pageParams }),
  result: () =>
    pageOf(
      z.strictObject({
        id: z.string(),
        ...callFacts,
        after: z.string().describe('The node that was answered or continued, or the conversation.'),
        bytes: z.int().describe('The stored size.'),
      }),
    ),
  effect: 'reads',
  run: async (engine, _caller, { root, ...page }) => {
    const calls = await engine.records.list(root);
    const sorted = calls.sort((one, other) => (one.id < other.id ? -1 : 1));
    return { ok: true, value: takePage(sorted, ({ id }) => id, page) };
  },
});

const callResult = once(() =>
  z.strictObject({
    ...callFacts,
    rebuilt: z
      .boolean()
      .describe("Whether the request was rebuilt from the path, in Loom's own format and with the current content."),
    exchanges: z
      .array(
        z.strictObject({
          request: z.string().describe('The request as sent, without keys.'),
          response: z.string().describe('The response as received.'),
          cut: z.boolean().describe('Whether part of it was not kept.'),
        }),
      )
      .describe('More than one if the provider retried.'),
    previous: z.string().exactOptional().describe('The nearest node above that an earlier call wrote.'),
  }),
);

const getCall = defineOperation({
  name: 'call.get',
  summary:
    'Returns what was sent to the model that wrote a node, and what it answered. If that is no longer kept, it is rebuilt from the path.',
  params: () => z.strictObject({ node: nodeId.describe('A node that a model wrote.') }),
  result: () => callResult(),
  refusals: ['node-not-found', 'not-by-model'],
  effect: 'reads',
  run: (engine, _caller, { node }) => readCall(engine, node),
});

const diffCall = defineOperation({
  name: 'call.diff',
  summary:
    'Compares what was sent to the model that wrote a node with what the previous call on its branch sent, as a unified diff of the formatted requests.',
  params: () => z.strictObject({ node: nodeId.describe('A node that a model wrote.') }),
  result: () =>
    z.strictObject({
      previous: z
        .string()
        .exactOptional()
        .describe('The node that the previous call wrote; absent if there was none, in which case everything is new.'),
      rebuilt: z.boolean().describe("Whether one of the two was rebuilt from the path, in Loom's own format."),
      request: z.string().describe('What was sent, formatted.'),
      diff: z.string().describe('Empty if both sent the same.'),
    }),
  refusals: ['node-not-found', 'not-by-model'],
  effect: 'reads',
  run: async (engine, _caller, { node }) => {
    const call = await readCall(engine, node);
    if (!call.ok) return call;
    const { previous, rebuilt } = call.value;
    const before = previous === undefined ? undefined : await readCall(engine, previous);
    if (before?.ok === false) return before;
    const request = sentIn(call.value);
    const hunks = diffTexts(before === undefined ? '' : sentIn(before.value), request);
    return {
      ...call,
      value: {
        ...(previous === undefined ? {} : { previous }),
        rebuilt: rebuilt || before?.value.rebuilt === true,
        request,
        diff: formatDiff(previous && `sent for ${previous}`, `sent for ${node}`, hunks) ?? '',
      },
    };
  },
});

/** Returns the request that the last try of a call sent, laid out for people. */
function sentIn({ exchanges }: z.infer<ReturnType<typeof callResult>>): string {
  return `${layOut(exchanges.at(-1)?.request ?? '')}\n`;
}

async function readCall(engine: LoomEngine, id: string): Promise<Outcome<z.infer<ReturnType<typeof callResult>>>> {
  const root = rootOfId(id);
  const kept = (await engine.records.list(root)).findLast(({ nodes }) => nodes.includes(id));
  const exchanges = kept && (await engine.records.read(root, kept.id));
  const { cursor, value } = await engine.forest.log(root).read((state) => {
    const node = state.nodes.get(id);
    if (node === undefined) return refuseMissingNode(id);
    const source = modelOf(node);
    if (source === undefined) return refuse({ reason: 'not-by-model', node: id, answers: answersTo(state, id) });
    const call = exchanges === undefined ? rebuild(engine, state, node, source) : { rebuilt: false, exchanges };
    const previous = previousCall(state, node)?.id;
    return {
      ok: true as const,
      value: {
        ...(exchanges === undefined || kept === undefined ? factsOfNode(node, source) : factsOf(kept)),
        ...call,
        ...(previous === undefined ? {} : { previous }),
      },
    };
  });
  return value.ok ? { ...value, cursor } : value;
}

function answersTo(state: RootState, node: string): string[] {
  return liveChildren(state, node)
    .filter((child) => modelOf(child) !== undefined)
    .map(({ id }) => id);
}

function rebuild(engine: LoomEngine, state: RootState, node: NodeState, source: ModelSource) {
  const describe = (names: readonly string[]) => engine.registry.describeTools(names);
  return { rebuilt: true, exchanges: [rebuildCall(state, node, source, describe, engine.hash)] };
}

function factsOfNode({ id, turn, ended_at }: NodeState, { provider, model_name: model }: ModelSource) {
  return {
    provider,
    model,
    nodes: [id],
    ...(turn === undefined ? {} : { turn }),
    ...(ended_at === undefined ? {} : { ended_at }),
  };
}

function factsOf({ provider, model, turn, nodes, ended_at }: KeptCall) {
  return { provider, model, nodes, ended_at, ...(turn === undefined ? {} : { turn }) };
}

export const callOperations = [listCalls, getCall, diffCall] as const;
