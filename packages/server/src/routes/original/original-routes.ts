import type { LoomEngine } from '@loom/kernel';
import type { Route } from '../route.ts';
import type { Generations } from './generations.ts';
import { bookmarkRoutes } from './bookmark-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { originalRouteMaker } from './original-request.ts';
import { rootRoutes } from './root-routes.ts';
import { settingsRoutes } from './settings-routes.ts';

/**
 * Makes the routes that clients of the original Loom know, over the present operations: they answer as the original did, in blocks.
 * Everything else is at `/api/v1/…`.
 */
export function originalRoutes(
  engine: Pick<LoomEngine, 'call'>,
  newId: () => string,
  generations: Generations,
): Route[] {
  const route = originalRouteMaker(engine, newId);
  return [...nodeRoutes(route, generations), ...rootRoutes(route), ...bookmarkRoutes(route), ...settingsRoutes(route)];
}
