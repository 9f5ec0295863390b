import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { TrailEntry } from '@loom/kernel';
import { source } from './live-events.ts';

/** The session in which Claude Code has spoken last on a branch, and the last line of it that the branch holds. */
export interface OwnSession {
  session: string;
  line: string;
  directory: string;
}

/** Finds the own session of a branch. `undefined` if another model has spoken since, or nothing is known of its lines. */
export function ownSession(trail: readonly TrailEntry[]): OwnSession | undefined {
  const last = trail.findLastIndex(({ note }) => isPlainObject(note?.['claude']));
  if (last === -1) return undefined;
  const noted = trail[last]?.note?.['claude'];
  const ends = trail.findLastIndex((entry) => linesOf(entry).length > 0 && entry.role !== 'user');
  const isAlone = trail.slice(Math.max(last, ends) + 1).every(({ role }) => role === 'user');
  // Messages behind the last note are Claude's own only if they have names there.
  const isOwn = trail.slice(last, ends + 1).every((entry) => entry.role === 'user' || linesOf(entry).length > 0);
  if (!isPlainObject(noted) || !isAlone || !isOwn || ends < 0) return undefined;
  const line = trail
    .slice(0, ends + 1)
    .flatMap(linesOf)
    .at(-1);
  const { session, cwd: directory } = noted;
  if (typeof session !== 'string' || typeof directory !== 'string' || line === undefined) return undefined;
  return { session, line, directory };
}

/** The names of the lines of a message in sessions of Claude Code. */
function linesOf({ note }: TrailEntry): string[] {
  const exported = note?.['exported'];
  const own = isPlainObject(exported) ? exported[source] : undefined;
  const keys: unknown = isPlainObject(own) ? own['keys'] : undefined;
  return Array.isArray(keys) ? keys.filter((key): key is string => typeof key === 'string' && isLine(key)) : [];
}

function isLine(key: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key);
}

/** Returns the last message of a session's file; `undefined` if there is no such file. */
export async function lastLineOf(folder: string, { session, directory }: OwnSession): Promise<string | undefined> {
  const path = join(folder, 'projects', directory.replaceAll(/[^A-Za-z0-9]/g, '-'), `${session}.jsonl`);
  const size = (await stat(path).catch(() => undefined))?.size;
  if (size === undefined) return undefined;
  const file = await open(path);
  try {
    const length = Math.min(size, longestTail);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    for (const text of buffer.toString().split('\n').reverse()) {
      const uuid = messageIn(text);
      if (uuid !== undefined) return uuid;
    }
    return '';
  } finally {
    await file.close();
  }
}

/** The end of a file that is searched for its last message, in bytes. */
const longestTail = 8 * 1024 * 1024;

function messageIn(text: string): string | undefined {
  if (!text.includes('"uuid"')) return undefined;
  try {
    const line: unknown = JSON.parse(text);
    if (!isPlainObject(line) || line['isSidechain'] === true || typeof line['uuid'] !== 'string') return undefined;
    return line['type'] === 'user' || line['type'] === 'assistant' ? line['uuid'] : undefined;
  } catch {
    return undefined;
  }
}
