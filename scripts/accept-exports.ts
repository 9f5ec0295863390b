// `npm run exports:accept`: the public names as they are now become the ones that the checks expect.
import { join } from 'node:path';
import { acceptExports } from '../checks/exports.ts';

const changed = acceptExports(join(import.meta.dirname, '..'));
console.log(changed.length === 0 ? 'The snapshots are up to date.' : changed.map((file) => `wrote ${file}`).join('\n'));
