import { lazily } from '../../ui/lazily.ts';

/** Loads the use of prompts, with the first slash that is typed. */
export const loadPrompts = lazily(() => import('./prompts.ts'));
