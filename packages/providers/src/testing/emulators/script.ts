import { scenarioOf } from '../scenarios.ts';
import type { Script } from './core.ts';

/** Plays the scenario that the person has asked for by its prompt; says so where there is none. */
export const playScenarios: Script = ({ said, rounds }) => {
  const answers = scenarioOf(said)?.answers;
  return answers?.[rounds] ?? { said: [{ say: `There is no scenario for this: ${said}` }] };
};
