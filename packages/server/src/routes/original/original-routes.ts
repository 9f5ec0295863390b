import type { LoomEngine } from '@loom/kernel';
import type { Route } from '../route.ts';
import type { Generations } from './generations.ts';
import { bookmarkRoutes } from './bookmark-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { originalRouteMaker } from './original-request.ts';
import { rootRoutes } from './root-routes.ts';
import { settingsRoutes } from './settings-routes.ts';

/**
 * The routes that clients of the original Loom know, over the operations that there are now: what they answer is what those answered,
 * in blocks. Everything else is at `/api/v1/…`.
 */
export function originalRoutes(
  engine: Pick<LoomEngine, 'call'>,
  newId: () => string,
  generations: Generations,
): Route[] {
  const route = originalRouteMaker(engine, newId);
  return [...nodeRoutes(route, generations), ...rootRoutes(route), ...bookmarkRoutes(route), ...settingsRoutes(route)];
}
