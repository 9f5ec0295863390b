import { isPlainObject } from '@loom/blocks';
import { sourceName } from './who.ts';

/** Where a conversation was before it was imported. */
export interface Origin {
  /** The program, as people call it. */
  readonly program: string;
  /** What the conversation is called there. */
  readonly id?: string;
  /** The folder that its agent worked in. */
  readonly folder?: string;
  /** The files that it was read from. */
  readonly files: readonly string[];
}

/** From the config of a conversation; `undefined` for one that began in Loom. */
export function originOf(config: Readonly<Record<string, unknown>>): Origin | undefined {
  const { origin, imported, directory } = config;
  if (!isPlainObject(origin) || typeof origin['source'] !== 'string') return undefined;
  const files = isPlainObject(imported) && isPlainObject(imported['files']) ? Object.keys(imported['files']) : [];
  return {
    program: sourceName(origin['source']),
    ...(typeof origin['id'] === 'string' ? { id: origin['id'] } : {}),
    ...(typeof directory === 'string' ? { folder: directory } : {}),
    files,
  };
}
