import type { ResultOf } from '@loom/kernel';
import { z } from 'zod';
import { answerJson } from '../../answers/answer.ts';
import type { Route } from '../route.ts';
import type { Generations } from './generations.ts';
import { shapeFor } from './node-shape.ts';
import type { NodeAnswer } from './node-shape.ts';
import { take } from './original-request.ts';
import type { MakeRoute, OriginalRequest } from './original-request.ts';

/** Nodes: read, said, edited, answered and deleted. */
export function nodeRoutes(route: MakeRoute, generations: Generations): Route[] {
  return [
    route('GET', '/api/nodes/:id', async (request) => {
      if (isRoot(request.id)) return answerRoot(request);
      const { of, headers } = shapeFor(request.visit.url);
      const node = of(await request.ask('node.get', { node: request.id }));
      const status = await generations.statusOf(request.id);
      return answerJson(status === undefined ? node : { ...node, pendingGeneration: { status } }, 200, headers);
    }),
    route('GET', '/api/nodes/:id/path', answerPath),
    route('GET', '/api/nodes/:id/children', async (request) =>
      answerNodes(request, await request.ask('node.children', { node: request.id })),
    ),
    route('GET', '/api/nodes/:id/siblings', async (request) =>
      answerNodes(request, await request.ask('node.siblings', { node: request.id })),
    ),
    route('POST', '/api/nodes/:id/append', async (request) => {
      const { role, content } = take(appended, request.body, contentAdvice);
      const { nodes } = await request.ask('node.append', { parent: request.id, messages: [{ role, content }] });
      return answerNode(request, nodes.at(-1) ?? request.id);
    }),
    route('PUT', '/api/nodes/:id/content', async (request) => {
      const { content } = take(edited, request.body, contentAdvice);
      const { node } = await request.ask('node.edit', { node: request.id, content, mode: 'split' });
      return answerNode(request, node);
    }),
    route('POST', '/api/nodes/:id/generate', async (request) => answerJson(await generate(request))),
    route('GET', '/api/nodes/:id/generation', (request) => generations.answer(request)),
    route('DELETE', '/api/nodes/:id', async ({ ask, id }) => removed(await ask('node.remove', { node: id }))),
    route('DELETE', '/api/nodes/:id/children', async ({ ask, id }) =>
      removed(await ask('node.remove_children', { node: id })),
    ),
    route('DELETE', '/api/nodes/:id/siblings', async ({ ask, id }) =>
      removed(await ask('node.remove_siblings', { node: id })),
    ),
  ];
}

const text = z
  .looseObject({ type: z.literal('text'), text: z.string() })
  .transform(({ text: words }) => ({ type: 'text' as const, text: words }));
const content = z.union([z.string(), z.tuple([text], text)]);
const appended = z.looseObject({ role: z.enum(['user', 'assistant']).default('user'), content });
const edited = z.looseObject({ content });
const generating = z.looseObject({
  providerName: z.string(),
  modelName: z.string(),
  activeTools: z.array(z.string()).optional(),
  n: z.int().positive().optional(),
  max_tokens: z.number().optional(),
  temperature: z.number().optional(),
});

const contentAdvice = 'Content is a string or blocks of text; calls of tools cannot be written by hand.';

function removed(what: ResultOf<'node.remove'>): Response {
  return answerJson({ success: true, ...what });
}

/** The id of a node has that of its conversation before a slash. */
function isRoot(id: string): boolean {
  return !id.includes('/');
}

/** Returns a conversation, which to clients of the original is a node without a parent and a message. */
async function answerRoot({ ask, id }: OriginalRequest): Promise<Response> {
  const { created, config } = await ask('root.get', { root: id });
  const { nodes } = await ask('node.children', { node: id });
  return answerJson({ id, createdAt: created, config, child_ids: nodes.map((node) => node.id) });
}

async function answerNode({ visit, ask }: OriginalRequest, node: string): Promise<Response> {
  const { of, headers } = shapeFor(visit.url);
  return answerJson(of(await ask('node.get', { node })), 200, headers);
}

function answerNodes({ visit }: OriginalRequest, { nodes }: ResultOf<'node.path'>): Response {
  const { of, headers } = shapeFor(visit.url);
  return answerJson(nodes.map(of), 200, headers);
}

/** The config of the conversation, and the messages, each with the node that it is. */
async function answerPath({ visit, id, ask }: OriginalRequest): Promise<Response> {
  const { nodes } = isRoot(id) ? { nodes: [] } : await ask('node.path', { node: id });
  const { config } = await ask('root.get', { root: nodes[0]?.root_id ?? id });
  const { messageOf, headers } = shapeFor(visit.url);
  const messages = nodes.map((node) => ({
    ...messageOf(node),
    nodeId: node.id,
    timestamp: node.metadata.timestamp,
    ...sourceOf(node),
  }));
  return answerJson({ root: config, messages }, 200, headers);
}

function sourceOf({ message, metadata }: NodeAnswer): { sourceProvider?: string; sourceModelName?: string } {
  const { source_info: source } = metadata;
  if (message.role !== 'assistant' || source.type !== 'model') return {};
  return { sourceProvider: source.provider, sourceModelName: source.model_name };
}

/**
 * Lets a model answer; `/generation` tells when it has. Clients from before blocks did not know that: they get the first node of each answer
 * once it is there.
 */
async function generate({ visit, id, body, ask }: OriginalRequest): Promise<unknown> {
  const advice = 'It names a provider and a model: {"providerName": …, "modelName": …}.';
  const { providerName, modelName, activeTools, n, ...given } = take(generating, body, advice);
  const { max_tokens: maxTokens, temperature } = given;
  const settings = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
  const before = new Set((await ask('node.children', { node: id })).nodes.map((node) => node.id));
  const { turns } = await ask('turn.start', {
    node: id,
    provider: providerName,
    model: modelName,
    settings,
    ...(activeTools === undefined ? {} : { tools: activeTools }),
    ...(n === undefined ? {} : { n }),
  });
  const { of, isLegacy } = shapeFor(visit.url);
  if (!isLegacy) return { success: true };
  const [root = ''] = id.split('/');
  for (const turn of turns) await ask('turn.wait', { root, turn });
  return (await ask('node.children', { node: id })).nodes.filter((node) => !before.has(node.id)).map(of);
}
