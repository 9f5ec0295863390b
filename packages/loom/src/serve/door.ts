import type { ServerPlace } from '@loom/client';
import { statfs } from 'node:fs/promises';
import { nodeDisk } from '@loom/data-folder/files';
import { blobsOf } from '@loom/kernel/store';
import { LoomServer } from '@loom/server';
import type { WriteLog } from '@loom/server';
import type { Identity, Tokens } from '@loom/server/access';
import { ownVersion } from '../command-line/own-version.ts';
import { uploadFolder } from '../host/upload-folder.ts';
import type { OpenedFolder } from '../runtime/opened-folder.ts';
import { keepBlobsSwept } from './blob-upkeep.ts';
import { findPage } from './page-files.ts';
import { pushNetwork } from './push-network.ts';
import { sessionKeeper } from './session-keeper.ts';

/** The person to whom the data folder belongs. */
export const owner: Identity = { agent: 'person', type: 'person', role: 'owner' };

export interface DoorOptions {
  opened: Omit<OpenedFolder, 'adoption'>;
  tokens: Tokens;
  /** True if other processes serve the same store: nothing of the folder is taken for this one's alone. */
  isShared?: boolean;
  /** Begins to listen, and returns the address to open. By default on a free port of this machine alone. */
  listen?: (server: LoomServer) => Promise<string>;
  onFailure: (error: unknown) => void;
  /** Receives events for a log. */
  log?: WriteLog;
}

/** The way into a data folder that this process has, for its other terminals and for everything else that has a token. */
export interface Door {
  server: LoomServer;
  url: string;
  /** The address for other processes of this user, and the token that lets them in. */
  place: ServerPlace;
  /** Ends turns that stream with their text so far; those that wait for a person stay open. Then the answers go out. */
  close: () => Promise<void>;
}

export async function openDoor(options: DoorOptions): Promise<Door> {
  const { opened, tokens, isShared = false, listen = listenHere, ...told } = options;
  const { engine, store, clock, newId, dataDir } = opened;
  const diskRoom = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  };
  const uploads = uploadFolder(dataDir);
  if (!isShared) await uploads.clear();
  const parts = {
    page: findPage(),
    engine,
    blobs: blobsOf(store),
    uploads,
    tokens,
    secrets: store,
    clock,
    newId,
    version: ownVersion,
    pushNetwork: pushNetwork({ testOrigin: process.env['LOOM_TEST_PUSH_ORIGIN'] }),
    ...(isShared ? {} : { diskRoom, mcp: { sessions: sessionKeeper(store, nodeDisk, dataDir) } }),
  };
  const server = new LoomServer({ ...parts, ...told });
  const url = await listen(server);
  const { token } = await tokens.create({ identity: owner, isKept: false, isFolders: true });
  await opened.announce(server.ownAddress, { token, version: ownVersion });
  const { forest, losses } = engine;
  const stopSweeping = keepBlobsSwept({
    store,
    clock,
    roots: () => forest.roots(),
    isIncomplete: () => losses.lost.size > 0,
    onFailure: told.onFailure,
  });
  return {
    server,
    url,
    place: { url: server.ownAddress, token },
    async close() {
      await engine.rest();
      await stopSweeping();
      await server.close();
    },
  };
}

function listenHere(server: LoomServer): Promise<string> {
  return server.listen({ port: 0 });
}
