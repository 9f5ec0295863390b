import { scenarios } from '../scenarios.ts';
import type { Script } from './core.ts';

/** Plays the scenario that the user's prompt names; says so if it is unknown. */
export const playScenarios: Script = ({ said, rounds }) => {
  const answers = scenarios.find(({ prompt }) => said === prompt)?.answers;
  return answers?.[rounds] ?? { said: [{ say: `There is no scenario for this: ${said}` }] };
};
