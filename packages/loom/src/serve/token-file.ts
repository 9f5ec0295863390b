import { join } from 'node:path';
import { readIfThere, replaceFile, type Disk } from '@loom/data-folder/files';
import type { CredentialPort } from '@loom/kernel';
import { openTokens } from '@loom/server/access';
import type { PushKeeper, ShareKeeper, TokenKeeper, Tokens } from '@loom/server/access';
import { LoomError } from '../command-line/failure.ts';

/** The name of the file in the data folder. It holds hashes, and is for its owner alone. */
export const tokenFile = 'tokens.json';

/** The name of the file of links that were made with them. It holds hashes, too. */
const shareFile = 'shares.json';

/** The name of the file of browsers that are told of turns, with the private key that the server proves itself by to push services. */
const pushFile = 'push.json';

/** The tokens of a data folder, which are read when they are first needed: a file of tokens that is damaged hinders nothing else. */
export type OpenTokens = () => Promise<Tokens>;

export function openTokensOnce(disk: Disk, dataDir: string): OpenTokens {
  let opened: Promise<Tokens> | undefined;
  return () =>
    (opened ??= openTokens({
      keeper: keeperOf(disk, join(dataDir, tokenFile), 'tokens'),
      shareKeeper: keeperOf(disk, join(dataDir, shareFile), 'shares'),
      pushKeeper: keeperOf(disk, join(dataDir, pushFile), 'push'),
      now: Date.now,
    }));
}

/** The tokens of a data folder, for the engine to know which callers' credentials have ended. */
export function credentialsOf(tokens: OpenTokens): CredentialPort {
  return {
    isKept: async (id) => (await tokens()).isKept(id),
    isValid: async (id) => (await tokens()).isValid(id),
  };
}

/** Keeps the records of a data folder in a file of it, as a whole. */
function keeperOf(disk: Disk, path: string, what: Kept): TokenKeeper & ShareKeeper & PushKeeper {
  return {
    async read() {
      const content = await readIfThere(disk, path);
      return content === undefined ? undefined : parse(path, what, new TextDecoder().decode(content));
    },
    async write(records: unknown) {
      const content = new TextEncoder().encode(`${JSON.stringify(records, undefined, 2)}\n`);
      const replaced = await replaceFile(disk, { path, content, expected: await readIfThere(disk, path), mode: 0o600 });
      if (!replaced.ok)
        throw new LoomError(`${what}-changed`, `${path} was changed at the same moment`, { advice: 'Try again.' });
    },
  };
}

type Kept = 'tokens' | 'shares' | 'push';

const again: Readonly<Record<Kept, string>> = {
  tokens: 'make new tokens: those in it are not valid any more.',
  shares: 'share anew: the links in it are not valid any more.',
  push: 'turn notifications on again in each browser.',
};

function parse(path: string, what: Kept, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LoomError(`${what}-damaged`, `${path} is damaged: it is not JSON`, {
      advice: `Move it aside, and ${again[what]}`,
      cause,
    });
  }
}
