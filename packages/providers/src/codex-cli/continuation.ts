import { readFile } from 'node:fs/promises';
import { isPlainObject } from '@loom/blocks';
import type { Continuation } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import { findSessionFile, lastTurnIn } from './session-file.ts';

/** Returns the way in which Codex would go on with a branch. Without an app-server it cannot fork its threads. */
export async function continuationOf(
  home: string,
  canFork: boolean,
  { trail, invalid }: Pick<ProviderRequest, 'trail' | 'invalid'>,
): Promise<Continuation> {
  const last = trail.findLast(({ role }) => role !== 'user');
  if (last === undefined) return { how: 'new' };
  const note = last.note?.['codex'];
  const { thread, turn } = isPlainObject(note) ? note : {};
  if (typeof thread !== 'string' || invalid.length > 0) return { how: 'session' };
  const path = await findSessionFile(home, thread);
  const text = path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return { how: 'session' };
  if (lastTurnIn(text) === turn) return { how: 'own-session' };
  return { how: canFork ? 'fork' : 'session' };
}
