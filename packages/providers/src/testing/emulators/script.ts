import { scenarios } from '../scenarios.ts';
import type { Script } from './core.ts';

/** Plays the scenario that the person has asked for by its prompt; says so where there is none. */
export const playScenarios: Script = ({ said, rounds }) => {
  const answers = scenarios.find(({ prompt }) => said === prompt)?.answers;
  return answers?.[rounds] ?? { said: [{ say: `There is no scenario for this: ${said}` }] };
};
