import type { Caller, LoomEngine, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { modelWords } from '@loom/kernel';
import { z } from 'zod';
import { answerJson } from '../../answers/answer.ts';
import { statusOfRefusal } from '../../answers/refusal-status.ts';
import { readJsonBody } from '../../guard/body.ts';
import { callerOf } from '../route.ts';
import type { Route, Visit } from '../route.ts';
import { shapeFor } from './node-shape.ts';

type Engine = Pick<LoomEngine, 'call'>;

/** One request to the routes of the original, and what it may ask for. */
interface Request {
  visit: Visit;
  /** The node or conversation that the path names. */
  id: string;
  body: unknown;
  /** Asks for an operation. What it refuses is the answer of the route. */
  ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
}

/**
 * The routes that clients of the original Loom know, over the operations that there are now: what they answer is what those answered,
 * in blocks. Everything else is at `/api/v1/…`.
 */
export function originalRoutes(engine: Engine, newId: () => string): Route[] {
  const route = (method: Route['method'], path: string, handle: (request: Request) => Promise<Response>): Route => ({
    method,
    path,
    access: 'token',
    handle: (visit) => answerFor(engine, callerOf(visit, newId), visit, handle),
  });
  const get = (path: string, handle: (request: Request) => Promise<Response>): Route => route('GET', path, handle);
  const list = async ({ visit }: Request, { nodes }: ResultOf<'node.path'>): Promise<Response> => {
    const { of, headers } = shapeFor(visit.url);
    return answerJson(nodes.map(of), 200, headers);
  };
  const one = async ({ visit, ask }: Request, node: string, status = 200): Promise<Response> => {
    const { of, headers } = shapeFor(visit.url);
    return answerJson(of(await ask('node.get', { node })), status, headers);
  };
  return [
    get('/api/nodes/:id', (request) => one(request, request.id)),
    get('/api/nodes/:id/path', async (request) => list(request, await request.ask('node.path', { node: request.id }))),
    get('/api/nodes/:id/children', async (request) =>
      list(request, await request.ask('node.children', { node: request.id })),
    ),
    get('/api/nodes/:id/siblings', async (request) =>
      list(request, await request.ask('node.siblings', { node: request.id })),
    ),
    route('POST', '/api/nodes/:id/append', async (request) => {
      const { role, content } = take(appended, request.body);
      const { nodes } = await request.ask('node.append', { parent: request.id, messages: [{ role, content }] });
      return one(request, nodes.at(-1) ?? request.id, 201);
    }),
    route('PUT', '/api/nodes/:id/content', async (request) => {
      const { content } = take(edited, request.body);
      const { node } = await request.ask('node.edit', { node: request.id, content, mode: 'split' });
      return one(request, node);
    }),
    route('POST', '/api/nodes/:id/generate', async (request) => answerJson(await generate(request), 201)),
    route('DELETE', '/api/nodes/:id', async ({ ask, id }) => answerJson(await ask('node.remove', { node: id }))),
    route('DELETE', '/api/nodes/:id/children', async ({ ask, id }) =>
      answerJson(await ask('node.remove_children', { node: id })),
    ),
    route('DELETE', '/api/nodes/:id/siblings', async ({ ask, id }) =>
      answerJson(await ask('node.remove_siblings', { node: id })),
    ),
    get('/api/roots', async (request) => answerJson(await listRoots(request))),
    route('POST', '/api/roots', async ({ ask, body }) => {
      const { systemPrompt } = take(begun, body);
      const config = systemPrompt === undefined ? {} : { systemPrompt };
      const { root } = await ask('root.create', { config });
      return answerJson(asRoot(await ask('root.get', { root })), 201);
    }),
  ];
}

const text = z
  .looseObject({ type: z.literal('text'), text: z.string() })
  .transform(({ text: words }) => ({ type: 'text' as const, text: words }));
const content = z.union([z.string(), z.tuple([text], text)]);
const appended = z.looseObject({ role: z.enum(['user', 'assistant']).default('user'), content });
const edited = z.looseObject({ content });
const begun = z.looseObject({ systemPrompt: z.string().optional() });
const generating = z.looseObject({
  providerName: z.string(),
  modelName: z.string(),
  activeTools: z.array(z.string()).optional(),
  n: z.int().positive().optional(),
  max_tokens: z.number().optional(),
  temperature: z.number().optional(),
});

/** Lets a model answer, and answers when it has: the first node of each answer, as it is then. */
async function generate({ visit, id, body, ask }: Request): Promise<unknown[]> {
  const { providerName, modelName, activeTools, n, max_tokens: maxTokens, temperature } = take(generating, body);
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
  const [root = ''] = id.split('/');
  for (const turn of turns) await ask('turn.wait', { root, turn });
  const { of } = shapeFor(visit.url);
  return (await ask('node.children', { node: id })).nodes.filter((node) => !before.has(node.id)).map(of);
}

async function listRoots({ ask }: Request): Promise<unknown[]> {
  const roots: unknown[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await ask('root.list', { limit: 1000, ...(after === undefined ? {} : { after }) });
    roots.push(...items.map(asRoot));
    if (next === undefined) return roots;
    after = next;
  }
}

/** A conversation as `roots.json` of the original had it. */
function asRoot({ id, created, config }: ResultOf<'root.list'>['items'][number]): Record<string, unknown> {
  return { id, createdAt: created, config };
}

/** What the original said to a body that it did not take. */
class BadBody extends Error {}

function take<T>(schema: z.ZodType<T>, body: unknown): T {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new BadBody(z.prettifyError(read.error));
}

class Refused extends Error {
  readonly answer: Response;

  constructor(outcome: Extract<Outcome<never>, { ok: false }>) {
    super(outcome.refusal.reason);
    const { refusal } = outcome;
    this.answer = answerJson({ error: modelWords(refusal), refusal }, statusOfRefusal[refusal.reason]);
  }
}

async function answerFor(
  engine: Engine,
  caller: Caller,
  visit: Visit,
  handle: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { request, params } = visit;
  const body = request.method === 'GET' || request.method === 'DELETE' ? undefined : await readJsonBody(request);
  const ask = async <Name extends string>(name: Name, given: ParamsOf<Name>): Promise<ResultOf<Name>> => {
    const outcome = await engine.call(name, caller, given);
    if (outcome.ok) return outcome.value;
    throw new Refused(outcome);
  };
  try {
    return await handle({ visit, id: params['id'] ?? '', body, ask });
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    if (!(error instanceof BadBody)) throw error;
    const advice = 'Content is a string or blocks of text; calls of tools cannot be written by hand.';
    return answerJson({ error: `The body cannot be taken. ${advice}\n${error.message}` }, 400);
  }
}
