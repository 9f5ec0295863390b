export { frozenClock, instantClock } from './clocks.ts';
export { Random } from './random.ts';
export { refusalSamples } from './refusal-samples.ts';
export { seededRandom } from './seeded-random.ts';
export { temporaryDirectory } from './temporary-directory.ts';
export { rest, VirtualClock } from './virtual-clock.ts';
export { generateParams } from './operation-params.ts';
export type { Aim } from './operation-params.ts';
