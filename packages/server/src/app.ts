import { StoreError } from '@loom/kernel/store';
import { Hono } from 'hono';
import type { Grant } from './access/tokens.ts';
import { answerProblem } from './answers/answer.ts';
import { problem, ProblemError } from './answers/problems.ts';
import type { Problem } from './answers/problems.ts';
import type { Route } from './routes/route.ts';

/** What the guard has found out about a request, for the routes behind it. */
export interface Admission {
  grant: Grant | undefined;
  url: URL;
  /** The network address that it comes from. */
  address: string;
}

/** All routes behind one table, and what becomes of a request that fails. */
export function createApp(
  routes: readonly Route[],
  onFailure: (error: unknown) => void,
): Hono<{ Bindings: Admission }> {
  const app = new Hono<{ Bindings: Admission }>();
  for (const route of routes) {
    app.on(route.method, route.path, async (context) => {
      const answer = await route.handle({
        request: context.req.raw,
        params: context.req.param(),
        url: context.env.url,
        grant: context.env.grant,
        address: context.env.address,
      });
      // Hono answers HEAD by what GET answers. Nothing reads that body, so a stream would never end.
      if (context.req.raw.method === 'HEAD') await answer.body?.cancel();
      return answer;
    });
  }
  const paths = new Set(routes.map(({ path }) => path));
  for (const path of paths) app.all(path, () => answerProblem(problem('bad-method')));
  app.notFound(() => answerProblem(problem('not-found')));
  app.onError((error) => answerProblem(problemOf(error, onFailure)));
  return app;
}

function problemOf(error: Error, onFailure: (error: unknown) => void): Problem {
  if (error instanceof ProblemError) return error.problem;
  onFailure(error);
  if (!(error instanceof StoreError)) return problem('internal');
  return error.code === 'store-closed' ? problem('stopping') : problem('store-failed', error.message);
}
