import type { LoomEngine } from '@loom/kernel';
import { answerJson, answerOutcome } from '../answers/answer.ts';
import { readJsonBody } from '../guard/body.ts';
import { openApiDocument } from '../openapi/document.ts';
import { callerOf } from './route.ts';
import type { Route, Visit } from './route.ts';

/** `POST /api/v1/<operation>`, for every operation that is offered at this door. */
export function operationRoutes(engine: Pick<LoomEngine, 'call' | 'operations'>, newId: () => string): Route[] {
  const call = async (name: string, visit: Visit): Promise<Response> => {
    const params = await readJsonBody(visit.request);
    // A client that closes the connection no longer waits.
    const caller = { ...callerOf(visit, newId), signal: visit.request.signal };
    return answerOutcome(await engine.call(name, caller, params));
  };
  // Made once, at the first request.
  let document: Record<string, unknown> | undefined;
  const offered = engine.operations.filter(({ doors }) => doors.includes('http'));
  return [
    {
      method: 'GET',
      path: '/api/v1/openapi.json',
      access: 'token',
      handle: () => answerJson((document ??= openApiDocument(engine.operations))),
    },
    ...offered.map(({ name, effect }) => ({
      ...post(`/api/v1/${name}`, (visit) => call(name, visit)),
      reads: effect === 'reads',
    })),
    // A name that is none is refused like everything else that is asked for, with those that may have been meant.
    post('/api/v1/:operation{.+\\..+}', (visit) => call(visit.params['operation'] ?? '', visit)),
  ];
}

function post(path: string, handle: Route['handle']): Route {
  return { method: 'POST', path, access: 'token', handle };
}
