export { Random } from './random.ts';
export { temporaryDirectory } from './temporary-directory.ts';
