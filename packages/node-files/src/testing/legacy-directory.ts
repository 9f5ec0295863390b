import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Forest } from '@loom/kernel/logs';
import type { Clock } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';

/** Makes a directory with these files, by path; a value other than text or bytes is written as Loom always wrote JSON. */
export function makeDirectory(t: TestContext, files: Readonly<Record<string, unknown>>): string {
  // One level down: files written beside it are removed with it.
  const above = mkdtempSync(join(tmpdir(), 'loom-node-files-'));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  const directory = join(above, 'data');
  mkdirSync(directory);
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, isRaw ? content : JSON.stringify(content, undefined, 2));
  }
  return directory;
}

/** Everything in a directory: names, kinds, bytes and times of change. */
export function photograph(directory: string): Map<string, string> {
  const picture = new Map<string, string>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    const stat = lstatSync(path);
    const content = stat.isFile() ? readFileSync(path, 'hex') : stat.isSymbolicLink() ? readlinkSync(path) : '';
    picture.set(name, `${stat.mode} ${stat.ino} ${stat.mtimeMs} ${content}`);
  }
  return picture;
}

/** A node as the third to fifth generations wrote it. */
export function nodeOf(
  id: string,
  parent: string,
  children: readonly string[] = [],
  more: { message?: unknown; metadata?: Record<string, unknown> } = {},
): Record<string, unknown> {
  const [root] = id.split('/');
  return {
    id,
    root_id: root,
    parent_id: parent,
    child_ids: children,
    message: more.message ?? { role: 'user', content: `I am ${id}` },
    metadata: {
      timestamp: '2025-07-01T00:00:00.000Z',
      original_root_id: root,
      source_info: { type: 'user' },
      ...more.metadata,
    },
  };
}

export function rootOf(id: string, children: readonly string[], more: Record<string, unknown> = {}): unknown {
  return { id, createdAt: '2025-07-01T00:00:00.000Z', config: { systemPrompt: 'Test' }, child_ids: children, ...more };
}

/** A clock that stands still. */
export const stillClock: Clock = { now: () => 0, after: () => () => undefined };

let lastId = 0;

/** Returns the forest of a store, by default an empty one. Its time stands still, and no two forests give out the same id. */
export function makeForest(store: Store = createMemoryStore()): Forest {
  return new Forest({
    store,
    clock: stillClock,
    ids: { next: () => String((lastId += 1)).padStart(4, '0') },
  });
}
