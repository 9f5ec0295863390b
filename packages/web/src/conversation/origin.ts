import { isPlainObject } from '@loom/blocks';
import { sourceName } from './who.ts';

/** The origin of an imported conversation. */
export interface Origin {
  /** The program, as people call it. */
  readonly program: string;
  /** The id of the conversation there. */
  readonly id?: string;
  /** The folder that its agent worked in. */
  readonly folder?: string;
  /** The files that it was read from. */
  readonly files: readonly string[];
}

/** Reads the origin from the config of a conversation; `undefined` for one that began in Loom. */
export function originOf(config: Readonly<Record<string, unknown>>): Origin | undefined {
  const { origin, imported, directory } = config;
  if (!isPlainObject(origin) || typeof origin['source'] !== 'string') return undefined;
  // Sent out here, by the call that the origin names.
  if (origin['source'] === 'loom' && senderIn(config) !== undefined) return undefined;
  const files = isPlainObject(imported) && isPlainObject(imported['files']) ? Object.keys(imported['files']) : [];
  return {
    program: sourceName(origin['source']),
    ...(typeof origin['id'] === 'string' ? { id: origin['id'] } : {}),
    ...(typeof directory === 'string' ? { folder: directory } : {}),
    files,
  };
}

/** Returns the git branch that the program of an imported conversation noted. */
export function branchNoted({ imported }: Readonly<Record<string, unknown>>): string | undefined {
  const details = isPlainObject(imported) ? imported['details'] : undefined;
  const branch = isPlainObject(details) ? (details['git_branch'] ?? details['branch']) : undefined;
  return typeof branch === 'string' && branch !== '' ? branch : undefined;
}

/** The message of another conversation from which the agent of this one was sent out, and that conversation. */
export function senderIn(config: Readonly<Record<string, unknown>>): { root: string; node: string } | undefined {
  const { origin, sender } = config;
  const own = isPlainObject(origin) && origin['source'] === 'loom' ? origin['id'] : undefined;
  const node = typeof sender === 'string' ? sender : own;
  const end = typeof node === 'string' ? node.lastIndexOf('/') : -1;
  return typeof node !== 'string' || end <= 0 ? undefined : { root: node.slice(0, end), node };
}
