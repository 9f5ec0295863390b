// `npm run test:deep`: installs if needed, then runs the tests of the promises about durability under the pinned Node, with far more
// kills, power cuts, crash points and damages than in every run.
import { join } from 'node:path';
import { bootstrap, root, runPinnedNode } from './bootstrap.mjs';

await bootstrap();
await runPinnedNode([join(root, 'scripts/deep-run.ts'), ...process.argv.slice(2)]);
