// `npm start`. Until there is a server to start, this shows what the command can do.
import { join } from 'node:path';
import { bootstrap, root, runPinnedNode } from './bootstrap.mjs';

await bootstrap();
await runPinnedNode([join(root, 'packages/loom/src/main.ts'), '--help']);
