import { LoomClient } from '@loom/client';
import type { ServerPlace } from '@loom/client';
import type { Cursor } from '@loom/kernel';
import type { StoreError } from '@loom/kernel/store';
import type { LostLog } from '@loom/stores/files';
import { z } from 'zod';
import { orFail } from '../../words/refusal-error.ts';
import { clientPorts } from './client-ports.ts';
import type { ConversationFeed, Hearing, Loom } from '../loom.ts';
import { openReader, printNote, wire, type OpenedFolder } from '../opened-folder.ts';
import { SilenceWatch } from './silence-watch.ts';
import { Succession, type SuccessionOptions } from './succession.ts';

/** The place of a folder that has to be looked for. */
export const nowhere: ServerPlace = { url: '', token: '' };

/** A data folder that this process works with through another one, until it is closed. */
export type AttachedFolder = Loom & { close: () => Promise<void> };

/**
 * Attaches to a data folder that another process has. Operations go through that process; conversations are read from the folder, as every
 * command does that only reads. When that process ends, this one takes its place, and lets others in itself.
 */
export function attach(options: SuccessionOptions, first: ServerPlace): AttachedFolder {
  const { dataDir } = options;
  const { clock, hash, ids } = wire(options);
  const succession = new Succession(options, first);
  const silence = new SilenceWatch({ dataDir, note: options.note ?? printNote });
  const ports = clientPorts(silence.fetch, ids);
  const client = new LoomClient({ ...ports, locate: (lost) => succession.locate(lost) });
  const damaged = new Map<string, StoreError>();
  const lost = new Map<string, LostLog>();
  const look = async <Result>(work: (reader: OpenedFolder) => Promise<Result>): Promise<Result> => {
    // Anew each time: the state read before may be out of date.
    const reader = await openReader({ ...options, files: false });
    try {
      return await work(reader);
    } finally {
      for (const [id, error] of reader.damaged) damaged.set(id, error);
      for (const [log, loss] of reader.lost) lost.set(log, loss);
      await reader.close();
    }
  };
  /** Asks in the name of another agent, by a token that is made for this and ends with it. */
  const asAgent = async <Result>(agent: string, work: (other: LoomClient) => Promise<Result>): Promise<Result> => {
    const identity = { agent, type: 'person', role: 'writer', days: 1 / 24 };
    const { id, token } = newToken.parse(orFail(await client.call('token.create', identity)));
    const { url } = await succession.locate(undefined);
    try {
      return await work(new LoomClient({ ...ports, url, token }));
    } finally {
      orFail(await client.call('token.revoke', { id }));
    }
  };
  const check = async (root: string): Promise<void> => {
    orFail(await client.call('root.get', { root }));
  };
  return {
    dataDir,
    clock,
    hash,
    damaged,
    lost,
    newId: () => ids.next(),
    call: (name, params, agent) =>
      agent === undefined ? client.call(name, params) : asAgent(agent, (other) => other.call(name, params)),
    async open(root) {
      // The other process settles turns left open there, and edits of its files.
      await check(root);
      return look((reader) => reader.open(root));
    },
    peek: (root) => look((reader) => reader.peek(root)),
    verify: (root) => look((reader) => reader.verify(root)),
    check,
    putBlob: (bytes) => client.putBlob(Uint8Array.from(bytes)),
    getBlob: (id) => client.getBlob(id),
    follow: (root, hearing) => Promise.resolve(followBy(client, root, hearing, silence)),
    turnOver: () => Promise.resolve(),
    idle: () => succession.idle(),
    watch: () => {},
    close: () => succession.close(),
  };
}

const newToken = z.object({ id: z.string(), token: z.string() });

function followBy(
  client: LoomClient,
  root: string,
  { onChange, onFailure }: Hearing,
  silence: SilenceWatch,
): ConversationFeed {
  // A process that is stopped in the middle of an answer ends no connection.
  const stopWatching = silence.begin();
  const followed = client.follow(root, { onChange, onSignedOut: onFailure });
  return {
    replica: followed.replica,
    async open() {
      await followed.ready();
    },
    async reach(cursor: Cursor | undefined) {
      if (cursor !== undefined) await followed.reach(cursor);
    },
    close: () => {
      stopWatching();
      followed.close();
    },
  };
}
