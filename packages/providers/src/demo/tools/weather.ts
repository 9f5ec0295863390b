import type { Tool } from '@loom/kernel';
import { pick } from '../fingerprint.ts';
import { objectWith, refuse, textFor, textParameter } from './parameters.ts';

/** Runs at once. Every city has its own weather, and it never changes. */
export const weather: Tool = {
  name: 'weather',
  description: 'Tells the (invented) weather of a city.',
  parameters: objectWith({ city: textFor('Name of the city') }),
  prepare: async () => ({ permission: 'run' }),
  async run(invocation) {
    const city = textParameter(invocation, 'city')?.trim();
    if (city === undefined || city === '')
      return refuse('weather needs the parameter "city", such as {"city": "Oslo"}.');
    const sky = skies[pick(`sky over ${city}`, skies.length)];
    const degrees = 12 + pick(`degrees in ${city}`, 17);
    return { content: [{ type: 'text', text: `${city}: ${sky}, ${degrees} °C` }] };
  },
};

const skies = [
  'sunny',
  'a few clouds',
  'overcast',
  'light rain',
  'morning fog',
  'a fresh breeze',
  'warm evening light',
];
