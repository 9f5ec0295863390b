export { Random } from './random.ts';
export { refusalSamples } from './refusal-samples.ts';
export { temporaryDirectory } from './temporary-directory.ts';
export { rest, VirtualClock } from './virtual-clock.ts';
