import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import {
  createGeminiReader,
  readGeminiDocument,
  recognizesGeminiDocument,
  recognizesGeminiLog,
} from '../../gemini-cli/index.ts';
import {
  parseOpencodeExport,
  readOpencodeDatabase,
  readOpencodeSession,
  readOpencodeStorage,
  recognizesOpencodeExport,
  recognizesOpencodeStorage,
} from '../../opencode/index.ts';
import { firstObjects } from '../../foreign/line-reading.ts';
import { createDialectReader } from '../../other-clis/dialect.ts';
import { dialects } from '../../other-clis/dialects.ts';
import { documentDialects, documentsIn } from '../../other-clis/documents.ts';
import { createPiReader, recognizesPi } from '../../pi/index.ts';
import { findFile } from '../file-scan.ts';
import type { ForeignFormat } from '../format.ts';

/** Sessions of Gemini CLI, opencode, pi and others. */
export const agentFormats: readonly ForeignFormat[] = [
  ...dialects.map((dialect): ForeignFormat => ({
    source: dialect.source,
    name: dialect.name,
    form: 'lines',
    recognizes: (path, beginning) => path.endsWith('.jsonl') && dialect.recognizes(firstObjects(beginning)),
    // Files of some programs have the same name in each folder.
    open: ({ path }) => createDialectReader(dialect, `${basename(dirname(path))}/${basename(path, '.jsonl')}`),
  })),
  ...documentDialects.map((dialect): ForeignFormat => ({
    source: dialect.source,
    name: dialect.name,
    form: 'document',
    recognizes: (path, beginning) => /\.jsonl?$/u.test(path) && dialect.recognizes(beginning),
    async *read({ file, tally }) {
      if (file.bytes > mostBytes) return tally.reported('The document is too long.');
      for (const document of documentsIn(await readFile(file.path, 'utf8'), tally)) yield dialect.read(document, tally);
    },
  })),
  {
    source: 'gemini-cli',
    name: 'Gemini CLI',
    form: 'lines',
    recognizes: recognizesGeminiLog,
    open: () => createGeminiReader(),
  },
  {
    source: 'gemini-cli',
    name: 'Gemini CLI',
    form: 'document',
    recognizes: recognizesGeminiDocument,
    async *read({ file, tally }) {
      yield readGeminiDocument(await readFile(file.path, 'utf8'), tally);
    },
  },
  { source: 'pi', name: 'pi', form: 'lines', recognizes: recognizesPi, open: () => createPiReader() },
  {
    source: 'opencode',
    name: 'opencode',
    form: 'document',
    recognizes: recognizesOpencodeExport,
    async *read({ file, tally }) {
      const session = parseOpencodeExport(await readFile(file.path, 'utf8'));
      if (session === undefined) tally.reported('The file is no session that opencode exports.');
      else yield readOpencodeSession(session, tally);
    },
  },
  {
    source: 'opencode',
    name: 'opencode',
    form: 'document',
    recognizes: recognizesOpencodeStorage,
    isPart: (path) => /[\\/](?:message|part)[\\/][^\\/]+[\\/][^\\/]+\.json$/u.test(path),
    async *read({ file, tally }) {
      const { session, broken } = await readOpencodeStorage(file.path, {
        list: (folder) => readdir(folder).catch(() => []),
        read: readText,
      });
      for (const path of broken) tally.reported(`${path} cannot be read.`);
      if (session === undefined) return;
      if (session.messages.length > 0) yield readOpencodeSession(session, tally);
      else tally.remark('A session has no messages that Loom can read: it is left out.');
    },
  },
  {
    source: 'opencode',
    name: 'opencode',
    form: 'document',
    recognizes: (path, beginning) => /opencode[^\\/]*\.db$/u.test(path) && beginning.startsWith('SQLite format 3\0'),
    async *read({ file, tally }) {
      using database = openDatabase(file.path);
      const broken = (): void => tally.reported('An entry of the database is not JSON.');
      for (const session of readOpencodeDatabase(database.query, broken)) {
        // A version that keeps messages in another way would appear as empty conversations.
        if (session.messages.length > 0) yield readOpencodeSession(session, tally);
        else tally.remark('A session has no messages that Loom can read: it is left out.');
      }
    },
  },
];

/** A document is held whole while it is read. */
const mostBytes = 100 * 1024 * 1024;

/** Reads a part. One that is not a file counts as empty: reading a pipe could block. */
async function readText(path: string): Promise<string> {
  return (await findFile(path)) === undefined ? '' : readFile(path, 'utf8');
}

function openDatabase(
  path: string,
): Disposable & { query: (sql: string, ...values: string[]) => Iterable<PlainObject> } {
  const database = new DatabaseSync(path, { readOnly: true });
  return {
    *query(sql, ...values) {
      for (const row of database.prepare(sql).iterate(...values)) if (isPlainObject(row)) yield row;
    },
    [Symbol.dispose]: () => database.close(),
  };
}
