import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { CallKeeping } from '@loom/kernel';
import { planSecrets } from '../models/plan-login.ts';
import { maskKeys, secretsOf } from '../secrets.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Returns the way to keep requests to models: compressed, and without the keys that the environment and the settings of a folder hold. */
export function keepCalls(dataDir: string | undefined): CallKeeping {
  return {
    decode: (bytes) => new TextDecoder().decode(bytes),
    compress: (text) => compress(text),
    decompress: async (bytes) => (await decompress(bytes)).toString(),
    redact: async (text) => maskKeys(text, await findSecrets(dataDir)),
  };
}

/** Settings may change while Loom runs, so they are read each time. */
async function findSecrets(dataDir: string | undefined): Promise<string[]> {
  const { env } = process;
  if (dataDir === undefined) return secretsOf(env);
  const { readConfig } = await import('../config/index.ts');
  // A file that cannot be read holds no key that was sent.
  const { entries } = await readConfig({ dataDir, env }).catch(() => ({ entries: [] }));
  const configured = entries.flatMap(({ value, isSecret }) => (isSecret && typeof value === 'string' ? [value] : []));
  return [...secretsOf(env), ...configured, ...(await planSecrets(dataDir))];
}
