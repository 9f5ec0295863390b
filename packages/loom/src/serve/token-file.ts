import { join } from 'node:path';
import { readIfThere, replaceFile, type Disk } from '@loom/data-folder/files';
import type { CredentialPort } from '@loom/kernel';
import { openTokens } from '@loom/server/access';
import type { TokenKeeper, Tokens } from '@loom/server/access';
import { LoomError } from '../command-line/failure.ts';

/** The name of the file in the data folder. It holds hashes, and is for its owner alone. */
export const tokenFile = 'tokens.json';

/** The tokens of a data folder, which are read when they are first needed: a file of tokens that is damaged hinders nothing else. */
export type OpenTokens = () => Promise<Tokens>;

export function openTokensOnce(disk: Disk, dataDir: string): OpenTokens {
  let opened: Promise<Tokens> | undefined;
  return () => (opened ??= openTokens({ keeper: tokenKeeper(disk, dataDir), now: Date.now }));
}

/** The tokens of a data folder, for the engine to know which callers' credentials have ended. */
export function credentialsOf(tokens: OpenTokens): CredentialPort {
  return {
    isKept: async (id) => (await tokens()).isKept(id),
    isValid: async (id) => (await tokens()).isValid(id),
  };
}

/** Keeps the tokens of a data folder in a file of it. */
function tokenKeeper(disk: Disk, dataDir: string): TokenKeeper {
  const path = join(dataDir, tokenFile);
  return {
    async read() {
      const content = await readIfThere(disk, path);
      return content === undefined ? undefined : parse(path, new TextDecoder().decode(content));
    },
    async write(records) {
      const content = new TextEncoder().encode(`${JSON.stringify(records, undefined, 2)}\n`);
      const replaced = await replaceFile(disk, { path, content, expected: await readIfThere(disk, path), mode: 0o600 });
      if (!replaced.ok)
        throw new LoomError('tokens-changed', `${path} was changed at the same moment`, { advice: 'Try again.' });
    },
  };
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LoomError('tokens-damaged', `${path} is damaged: it is not JSON`, {
      advice: 'Move it aside, and make new tokens: those in it are not valid any more.',
      cause,
    });
  }
}
