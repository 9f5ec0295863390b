import { writeFileSync } from 'node:fs';
import { openLoom } from '../../open-loom.ts';

// A process of Loom for tests to kill: it purges blocks of a conversation. Its arguments are a data folder and the blocks.
const [dataDir = '', ...blocks] = process.argv.slice(2);
const loom = await openLoom({ dataDir });
await loom.call('kernel.search', { query: 'key', literal: true });
writeFileSync(process.env['STEPS'] ?? '', '');
const outcome = await loom.call('block.purge', { blocks, confirmed: true });
if (!outcome.ok) throw new Error(outcome.refusal.reason);
await loom.close();
