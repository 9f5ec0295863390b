import { LoomError } from '../command-line/failure.ts';
import type { Models } from './models.ts';

/** The default model, or the reason there is none. */
export interface Usual {
  default?: string;
  problem?: string;
}

export async function nameOfUsual(models: Pick<Models, 'choose'>): Promise<Usual> {
  try {
    return { default: (await models.choose(undefined)).name };
  } catch (error) {
    if (!(error instanceof LoomError)) throw error;
    return { problem: `${error.message}. ${error.advice ?? ''}`.trimEnd() };
  }
}
