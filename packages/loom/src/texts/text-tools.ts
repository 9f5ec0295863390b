import { BlockTools } from '@loom/kernel';
import type { Loom } from '../runtime/open-loom.ts';

/** The block tools on the forest of a command. */
export function textTools({ engine, request }: Loom): BlockTools {
  return new BlockTools({ forest: engine.forest, ids: { next: () => request().id } });
}
