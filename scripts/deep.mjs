// `npm run test:deep`: the tests of the promises about durability, each with far more kills, crash points and damages than in
// every run. Takes hours. What each test tries can be set by itself: LOOM_CRASH_POINTS, LOOM_DAMAGES, LOOM_TRACES.
import { join } from 'node:path';
import { bootstrap, root, runPinnedNode } from './bootstrap.mjs';

const deep = { LOOM_DEEP: '1', LOOM_CRASH_POINTS: '500000', LOOM_DAMAGES: '20000', LOOM_TRACES: '500' };
for (const [name, value] of Object.entries(deep)) process.env[name] ??= value;

const tests = [
  'packages/stores/src/files/crashes.test.ts',
  'packages/stores/src/sqlite/crashes.test.ts',
  'packages/stores/src/node-files/crashes.test.ts',
  'packages/stores/src/node-files/damage.test.ts',
  'packages/stores/src/node-files/hand-edits.fuzz.test.ts',
  'packages/loom/src/runtime/kill-loop.test.ts',
];

await bootstrap();
await runPinnedNode(['--test', ...tests.map((test) => join(root, test))]);
