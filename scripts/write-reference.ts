// `npm run reference`: writes what docs/reference says about the operations, from their table.
import { join } from 'node:path';
import { writeReference } from '../checks/reference.ts';

const changed = writeReference(join(import.meta.dirname, '..'));
console.log(changed.length === 0 ? 'The reference is up to date.' : changed.map((file) => `wrote ${file}`).join('\n'));
