import { rootAnswer } from '../../forest/listed-root.ts';
import type { ListedRoot } from '../../forest/listed-root.ts';
import type { PlacedRow } from './root-filter.ts';

/** Returns a conversation of the catalog as lists show it. */
export function listedRow({ summary, project, cost }: PlacedRow): ListedRoot {
  return {
    ...rootAnswer(summary(), project === '' ? undefined : project),
    ...(cost === undefined ? {} : { cost_usd: cost }),
  };
}
