import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { numberAt, objectAt, textAt } from '../foreign/fields.ts';
import { messageOfRow } from './opencode-projection.ts';
import type { OpencodeMessage, OpencodeSession } from './opencode-session.ts';

/** Access to files; the reader opens none itself. */
export interface StorageFiles {
  /** Returns the names in a folder; none if the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  read(path: string): Promise<string>;
}

/**
 * Returns true if a file is the head of a session in opencode's storage: `storage/session/<project>/<session>.json`, with its messages in
 * `storage/message/<session>/` and their parts in `storage/part/<message>/`.
 */
export function recognizesOpencodeStorage(name: string, beginning: string): boolean {
  if (!/(?:^|[\\/])session(?:[\\/]info)?[\\/](?:[^\\/]+[\\/])?[^\\/]+\.json$/.test(name)) return false;
  const head = parse(beginning);
  return textAt(head, 'id') !== undefined && (textAt(head, 'directory') ?? textAt(head, 'projectID')) !== undefined;
}

/** Gathers a session from the files around its head. Unreadable files are named in `broken`. */
export async function readOpencodeStorage(
  path: string,
  files: StorageFiles,
): Promise<{ session: OpencodeSession | undefined; broken: string[] }> {
  const broken: string[] = [];
  const readObject = async (file: string): Promise<PlainObject | undefined> => {
    const value = parse(await files.read(file).catch(() => ''));
    if (value === undefined) broken.push(file);
    return value;
  };
  const info = await readObject(path);
  if (info === undefined) return { session: undefined, broken };
  const root = path.replace(/[\\/]session(?:[\\/]info)?[\\/](?:[^\\/]+[\\/])?[^\\/]+$/, '');
  const session = textAt(info, 'id') ?? '';
  const readAll = async (folder: string): Promise<PlainObject[]> => {
    const names = await files.list(folder);
    const values: PlainObject[] = [];
    for (const name of names.filter((each) => each.endsWith('.json')).toSorted()) {
      const value = await readObject(`${folder}/${name}`);
      if (value !== undefined) values.push(value);
    }
    return values;
  };
  // Some versions kept all parts in one folder, older ones everything below the folder of sessions.
  const loose = Map.groupBy(await readAll(`${root}/part`), (part) => textAt(part, 'messageID') ?? '');
  const messages: OpencodeMessage[] = [];
  for (const folder of [`${root}/message/${session}`, `${root}/session/message/${session}`]) {
    for (const message of await readAll(folder)) {
      const id = textAt(message, 'id') ?? '';
      const parts = await readAll(`${root}/part/${id}`);
      const older = await readAll(`${root}/session/part/${session}/${id}`);
      messages.push({ info: message, parts: [...parts, ...older, ...(loose.get(id) ?? [])] });
    }
  }
  return { session: { info, messages: inOrder(messages) }, broken };
}

/** Orders messages. Ids and file names grow with time; if they do not, times give the order. */
function inOrder(messages: readonly OpencodeMessage[]): OpencodeMessage[] {
  return messages.toSorted((first, second) => created(first) - created(second));
}

function parse(text: string): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Queries the database of newer versions, `opencode.db`. */
export type DatabaseQuery = (sql: string, ...parameters: string[]) => Iterable<PlainObject>;

/** Yields the sessions in a database, one by one. Rows that are not JSON are left out and counted by `broken`. */
export function* readOpencodeDatabase(query: DatabaseQuery, broken: () => void): Generator<OpencodeSession> {
  const tables = new Set([...query("SELECT name FROM sqlite_master WHERE type = 'table'")].map(({ name }) => name));
  const read = (row: PlainObject): PlainObject[] => {
    const value = parse(textAt(row, 'data') ?? '');
    if (value === undefined) broken();
    return value === undefined ? [] : [{ ...value, id: row.id }];
  };
  for (const row of query('SELECT * FROM session ORDER BY id')) {
    const id = textAt(row, 'id') ?? '';
    const older = tables.has('message') ? messagesAndParts(query, id, read) : [];
    const newer = tables.has('session_message') ? projected(query, id, read) : [];
    // A session that an older version began may continue in the newer table, which may also repeat the older one's content.
    const last = older.at(-1);
    const after = last === undefined ? newer : newer.filter((message) => created(message) > created(last));
    yield { info: infoOfRow(row), messages: [...older, ...after] };
  }
}

type ReadRow = (row: PlainObject) => PlainObject[];

function messagesAndParts(query: DatabaseQuery, session: string, read: ReadRow): OpencodeMessage[] {
  const rows = query('SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id', session);
  const parts = Map.groupBy(rows, (part) => textAt(part, 'message_id') ?? '');
  const messages = [...query('SELECT id, data FROM message WHERE session_id = ? ORDER BY id', session)].flatMap(
    (message) =>
      read(message).map((info) => ({ info, parts: (parts.get(textAt(message, 'id') ?? '') ?? []).flatMap(read) })),
  );
  return inOrder(messages);
}

/** The messages of the table that newer versions keep. */
function projected(query: DatabaseQuery, session: string, read: ReadRow): OpencodeMessage[] {
  const rows = [...query('SELECT * FROM session_message WHERE session_id = ? ORDER BY id', session)];
  const order = (row: PlainObject): number => numberAt(row, 'seq', 'time_created') ?? 0;
  return rows
    .toSorted((first, second) => order(first) - order(second))
    .flatMap((row) => read(row).map((data) => messageOfRow(row, data)));
}

function created({ info }: OpencodeMessage): number {
  return numberAt(objectAt(info, 'time'), 'created') ?? 0;
}

function infoOfRow(row: PlainObject): PlainObject {
  const { project_id: projectID, parent_id: parentID, time_created: created, time_updated: updated, ...rest } = row;
  return { ...rest, projectID, parentID, time: { created, updated } };
}
