// Builds the page alone, for sources that run as they are; `npm run build` builds it with the command.
import { join } from 'node:path';
import { builtPage } from './page.ts';

await builtPage(join(import.meta.dirname, '../..'));
