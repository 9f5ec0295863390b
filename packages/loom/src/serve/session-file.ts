import { join } from 'node:path';
import { readIfThere, replaceFile, type Disk } from '@loom/data-folder/files';
import type { LoomServerOptions } from '@loom/server';
import { LoomError } from '../command-line/failure.ts';

/** The name of the file in the data folder with the MCP sessions that were given, and their subscriptions. Without it clients begin new ones. */
export const sessionFile = 'mcp-sessions.json';

type SessionKeeper = NonNullable<NonNullable<LoomServerOptions['mcp']>['sessions']>;

export function sessionKeeper(disk: Disk, dataDir: string): SessionKeeper {
  const path = join(dataDir, sessionFile);
  return {
    async read() {
      const content = await readIfThere(disk, path);
      if (content === undefined) return undefined;
      const sessions: unknown = JSON.parse(new TextDecoder().decode(content));
      return sessions;
    },
    async write(sessions) {
      const content = new TextEncoder().encode(`${JSON.stringify(sessions, undefined, 2)}\n`);
      const replaced = await replaceFile(disk, { path, content, expected: await readIfThere(disk, path), mode: 0o600 });
      if (!replaced.ok)
        throw new LoomError('sessions-changed', `${path} was changed at the same moment`, {
          advice: 'Clients that come back after a restart begin a new session.',
        });
    },
  };
}
