// `npm start`: installs and builds if needed, and serves. Arguments after `--` go to `loom serve`.
import { join } from 'node:path';
import { bootstrap, root, runInPlace } from './bootstrap.mjs';

await bootstrap();
await runInPlace(join(root, 'loom'), ['serve', ...process.argv.slice(2)]);
