// A writer in a separate process: `append-loop.ts <directory> <name> <count>`. It appends pairs of records to a log that all writers share
// and to a private one, and prints a line for each pair once it is acknowledged.
import { writeSync } from 'node:fs';
import { Writer } from '../../testing/writer.ts';
import { openSqliteStore } from '../index.ts';

const [directory = '', name = '', count = ''] = process.argv.slice(2);
const store = await openSqliteStore({ directory });
await Promise.all(['shared', `own ${name}`].map(appendPairs));
await store.close();

async function appendPairs(log: string): Promise<void> {
  const writer = new Writer(store, log);
  for (let index = 0; index < Number(count); index += 1) {
    const text = `${name} ${index} ${'padding '.repeat(index % 40)}`;
    const seq = await writer.append([`${text}first`, `${text}second`]);
    // At once and not through a stream, which would lose lines that were printed but not yet written.
    writeSync(1, `${JSON.stringify({ log, seq, text })}\n`);
  }
}
