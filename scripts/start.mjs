// `npm start`: installs and builds if needed. Until there is a server to start, this shows what the command can do.
import { join } from 'node:path';
import { bootstrap, root, runInPlace } from './bootstrap.mjs';

await bootstrap();
await runInPlace(join(root, 'loom'), ['--help']);
