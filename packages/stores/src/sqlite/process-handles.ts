import { resolve } from 'node:path';
import type { Listeners } from '../listeners.ts';

/** The listeners of the handles that this process has open on a directory. */
export function handlesOn(directory: string): Set<Listeners> {
  const path = resolve(directory);
  for (const [other, handles] of open) if (handles.size === 0) open.delete(other);
  const handles = open.get(path) ?? new Set<Listeners>();
  open.set(path, handles);
  return handles;
}

const open = new Map<string, Set<Listeners>>();
