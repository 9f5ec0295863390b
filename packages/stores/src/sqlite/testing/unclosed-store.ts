// A process that ends without closing its store: `unclosed-store.ts <directory> <count>`. The last answer comes when nothing but the
// append is left to wait for.
import { Writer } from '../../testing/writer.ts';
import { openSqliteStore } from '../index.ts';

const [directory = '', count = ''] = process.argv.slice(2);
const writer = new Writer(await openSqliteStore({ directory }), 'a');
for (let index = 1; index < Number(count); index += 1) await writer.append([`${index}`]);
void writer.append(['x'.repeat(2_000_000)]).then((seq) => console.log(`acknowledged ${seq}`));
