// The thread that writes, on a small disk, where the text of a record may be a fault that is set off by the commit.
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Connection } from '../connection.ts';
import { connectDatabase } from '../database.ts';
import { serveWrites } from '../writing/serve-writes.ts';

await serveWrites((path) => new Connection(() => plant(connectDatabase(path), path)));

function plant(database: DatabaseSync, path: string): DatabaseSync {
  database.exec('PRAGMA max_page_count = 40');
  const exec = database.exec.bind(database);
  const last = database.prepare('SELECT text FROM records ORDER BY rowid DESC LIMIT 1');
  let writes = false;
  database.exec = (sql) => {
    const fault = sql === 'COMMIT' && writes ? String(last.get()?.['text']) : '';
    writes = sql === 'BEGIN IMMEDIATE';
    if (fault === 'mistake') throw new TypeError('planted');
    if (fault === 'die before') process.exit(7);
    if (fault === 'gate') while (!existsSync(`${path}.gate`));
    exec(sql);
    if (fault === 'die after') process.exit(7);
  };
  return database;
}
