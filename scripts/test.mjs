// `npm test`: installs if needed, then runs all checks and tests under the pinned Node.
import { join } from 'node:path';
import { bootstrap, root, runPinnedNode } from './bootstrap.mjs';

await bootstrap();
await runPinnedNode([join(root, 'scripts/test-run.ts'), ...process.argv.slice(2)]);
