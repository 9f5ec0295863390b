import { openTokens } from '@loom/server/access';
import type { ShareKeeper, TokenKeeper } from '@loom/server/access';
import type { PostgresStore } from '@loom/stores/postgres';
import type { OpenTokens } from '../token-file.ts';

/** The part of a store through which processes share documents. */
type SharedStore = Pick<PostgresStore, 'readDocument' | 'writeDocument' | 'announce' | 'hear'>;

/** The tokens of a store that several processes use, which are read when they are first needed. */
export function openStoredTokens(store: SharedStore): OpenTokens {
  let opened: ReturnType<OpenTokens> | undefined;
  return () =>
    (opened ??= openTokens({
      keeper: keeperOf(store, 'tokens'),
      shareKeeper: keeperOf(store, 'shares'),
      now: Date.now,
    }));
}

/** Keeps records in a document of the store, as a whole, and tells the other processes when they have changed. */
function keeperOf(store: SharedStore, name: string): TokenKeeper & ShareKeeper {
  const channel = `document/${name}`;
  /** The version of the records that were read or written last. */
  let version = 0;
  return {
    async read() {
      const kept = await store.readDocument(name);
      version = kept?.version ?? 0;
      const records: unknown = kept && JSON.parse(kept.text);
      return records;
    },
    async write(records) {
      const isWritten = await store.writeDocument(name, { version, text: JSON.stringify(records) });
      if (!isWritten) return false;
      version += 1;
      store.announce(channel, String(version));
      return true;
    },
    watch(changed) {
      store.hear(channel, (told) => {
        if (told !== String(version)) changed();
      });
      // An announcement may be lost, and a token that was revoked must not live on.
      setInterval(changed, lookMilliseconds).unref();
    },
  };
}

const lookMilliseconds = 5_000;
