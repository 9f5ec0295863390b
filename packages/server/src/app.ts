import { StoreError } from '@loom/kernel/store';
import { Hono } from 'hono';
import type { Grant } from './access/tokens.ts';
import { answerProblem } from './answers/answer.ts';
import { problem, ProblemError } from './answers/problems.ts';
import type { Problem } from './answers/problems.ts';
import type { Route, Visit } from './routes/route.ts';
import type { Share } from './sharing/shares.ts';

/** The guard's findings about a request, for the routes behind it. */
export interface Admission {
  grant: Grant | undefined;
  share?: Share | undefined;
  url: URL;
  /** The network address that it comes from. */
  address: string;
}

/** Creates the app: all routes behind one table, and the answer to a request that fails. */
export function createApp(
  routes: readonly Route[],
  onFailure: (error: unknown) => void,
): Hono<{ Bindings: Admission }> {
  const app = new Hono<{ Bindings: Admission }>();
  for (const route of routes) {
    const { reads = route.method === 'GET' } = route;
    app.on(route.method, route.path, async (context) => {
      const visit = {
        request: context.req.raw,
        params: context.req.param(),
        url: context.env.url,
        grant: context.env.grant,
        share: context.env.share,
        address: context.env.address,
      };
      const answer = await handled(route, visit).catch((error: unknown) =>
        answerProblem(problemOf(error, onFailure, reads)),
      );
      // Hono answers HEAD by what GET answers. Nothing reads that body, so a stream would never end.
      if (context.req.raw.method === 'HEAD') await answer.body?.cancel();
      return answer;
    });
  }
  const paths = new Set(routes.map(({ path }) => path));
  for (const path of paths) app.all(path, () => answerProblem(problem('bad-method')));
  app.notFound(() => answerProblem(problem('not-found')));
  app.onError((error) => answerProblem(problemOf(error, onFailure, false)));
  return app;
}

/** A route may throw before it has anything to wait for. */
async function handled(route: Route, visit: Visit): Promise<Response> {
  return route.handle(visit);
}

function problemOf(error: unknown, onFailure: (error: unknown) => void, isRead: boolean): Problem {
  if (error instanceof ProblemError) return error.problem;
  onFailure(error);
  if (!(error instanceof StoreError)) return problem(isRead ? 'read-failed' : 'internal');
  if (error.code === 'store-closed') return problem('stopping');
  return problem(isRead ? 'store-unreadable' : 'store-failed', error.message);
}
