import type { Caller, LoomEngine, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { modelWords } from '@loom/kernel';
import { z } from 'zod';
import { answerJson } from '../../answers/answer.ts';
import { statusOfRefusal } from '../../answers/refusal-status.ts';
import { readJsonBody } from '../../guard/body.ts';
import { callerOf } from '../route.ts';
import type { Route, Visit } from '../route.ts';

/** Calls an operation. Its refusal becomes the answer of the route. A request that makes several changes names a distinct `part` for each. */
export type Ask = <Name extends string>(name: Name, params: ParamsOf<Name>, part?: string) => Promise<ResultOf<Name>>;

/** One request to the routes of the original, and its means. */
export interface OriginalRequest {
  visit: Visit;
  /** The node, the conversation or the bookmark that the path names. */
  id: string;
  body: unknown;
  ask: Ask;
}

export type Handle = (request: OriginalRequest) => Promise<Response>;

/** Makes routes of the original over operations. */
export type MakeRoute = (method: Route['method'], path: string, handle: Handle) => Route;

export function originalRouteMaker(engine: Pick<LoomEngine, 'call'>, newId: () => string): MakeRoute {
  return (method, path, handle) => ({
    method,
    path,
    access: 'token',
    handle: (visit) => answerFor(engine, callerOf(visit, newId), visit, handle),
  });
}

/** The original's answer to a body that it did not take. */
class BadBody extends Error {}

/** Reads a body; `advice` describes a valid one. */
export function take<T>(schema: z.ZodType<T>, body: unknown, advice: string): T {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new BadBody(`${advice}\n${z.prettifyError(read.error)}`);
}

/** Refuses a body for its meaning. */
export function refuseBody(why: string): never {
  throw new BadBody(why);
}

class Refused extends Error {
  readonly answer: Response;

  constructor({ refusal }: Extract<Outcome<never>, { ok: false }>) {
    super(refusal.reason);
    this.answer = answerJson({ error: modelWords(refusal), refusal }, statusOfRefusal[refusal.reason]);
  }
}

async function answerFor(
  engine: Pick<LoomEngine, 'call'>,
  caller: Caller,
  visit: Visit,
  handle: Handle,
): Promise<Response> {
  const { request, params } = visit;
  const body = request.method === 'GET' || request.method === 'DELETE' ? undefined : await readJsonBody(request);
  const ask: Ask = async (name, given, part) => {
    const id = part === undefined ? caller.id : `${caller.id}/${part}`;
    const outcome = await engine.call(name, { ...caller, id }, given);
    if (outcome.ok) return outcome.value;
    throw new Refused(outcome);
  };
  try {
    return await handle({ visit, id: params['id'] ?? '', body, ask });
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    if (!(error instanceof BadBody)) throw error;
    return answerJson({ error: `The body cannot be taken. ${error.message}` }, 400);
  }
}
