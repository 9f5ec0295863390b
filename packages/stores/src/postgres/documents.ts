import type { Database } from './database.ts';

/** A text that all processes share, and its version: that of the text itself where it is read, of the one that it replaces where it is written. */
export interface KeptDocument {
  version: number;
  text: string;
}

/** Reads a document; `undefined` if there is none of this name. */
export async function readDocument(database: Database, name: string): Promise<KeptDocument | undefined> {
  const [row] = await database.rows<{ version: number; text: Buffer }>(
    'SELECT version::double precision AS version, text FROM loom.documents WHERE name = $1',
    [name],
  );
  return row && { version: row.version, text: row.text.toString() };
}

/** Replaces a document, unless it has another version by now. */
export async function writeDocument(
  database: Database,
  name: string,
  { version, text }: KeptDocument,
): Promise<boolean> {
  const rows =
    version === 0
      ? await database.rows(
          'INSERT INTO loom.documents (name, version, text) VALUES ($1, 1, $2) ON CONFLICT DO NOTHING RETURNING true',
          [name, Buffer.from(text)],
        )
      : await database.rows(
          'UPDATE loom.documents SET version = version + 1, text = $2 WHERE name = $1 AND version = $3 RETURNING true',
          [name, Buffer.from(text), version],
        );
  return rows.length > 0;
}
