import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, type Disk } from '@loom/data-folder/files';
import type { Store } from '@loom/kernel/store';
import type { LoomServerOptions } from '@loom/server';

type SessionKeeper = NonNullable<NonNullable<LoomServerOptions['mcp']>['sessions']>;

/** The file in which older versions kept them. */
const olderFile = 'mcp-sessions.json';
const key = 'mcp-sessions';
/** A client that has not come for so long begins a new session, in milliseconds. */
const lifetime = 30 * 24 * 60 * 60 * 1000;

/**
 * Keeps the MCP sessions that were given, and their subscriptions, in the store. Without them clients begin new ones, so that those may be lost which a
 * process takes out while it is killed.
 */
export function sessionKeeper(store: Pick<Store, 'putOnce' | 'takeOnce'>, disk: Disk, dataDir: string): SessionKeeper {
  const write: SessionKeeper['write'] = (sessions) => store.putOnce(key, JSON.stringify(sessions), lifetime);
  return {
    write,
    async read() {
      const kept = await store.takeOnce(key);
      const older = kept === undefined ? await takeOlder(disk, join(dataDir, olderFile)) : undefined;
      const text = kept ?? older;
      if (text === undefined) return undefined;
      await store.putOnce(key, text, lifetime);
      const sessions: unknown = JSON.parse(text);
      return sessions;
    },
  };
}

/** Takes over what an older version has left, once. What is not JSON is left where it is. */
async function takeOlder(disk: Disk, path: string): Promise<string | undefined> {
  const content = await readIfThere(disk, path);
  if (content === undefined) return undefined;
  const text = new TextDecoder().decode(content);
  JSON.parse(text);
  await rm(path);
  return text;
}
