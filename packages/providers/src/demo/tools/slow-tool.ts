import type { Clock, Tool } from '@loom/kernel';
import { pause } from '../../pause.ts';
import { objectWith, refuse } from './parameters.ts';

const longest = 60;

/** Waits, and stops waiting as soon as its signal aborts. */
export function slowTool(clock: Clock): Tool {
  return {
    name: 'slow_tool',
    description: 'Waits for some seconds.',
    parameters: objectWith({ seconds: { type: 'number', minimum: 0, maximum: longest } }),
    prepare: async () => ({ permission: 'run' }),
    async run({ parameters: { seconds } }, { signal }) {
      if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= longest)) {
        return refuse(`slow_tool needs "seconds", a number from 0 to ${longest}.`);
      }
      if (!(await pause(clock, seconds * 1000, signal))) return refuse('Stopped before the time was over.');
      return { content: [{ type: 'text', text: `Waited ${seconds} s` }] };
    },
  };
}
