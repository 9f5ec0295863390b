import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { UsageError } from './failure.ts';

/** The URL of a store in PostgreSQL. It may hold a password: never print it. */
export type DatabaseUrl = `postgres://${string}` | `postgresql://${string}`;

/** A kind of store for a data folder, or a store without a folder. */
export type StoreChoice = StoreKind | DatabaseUrl;

export function isDatabaseUrl(text: string | undefined): text is DatabaseUrl {
  return text !== undefined && /^postgres(?:ql)?:\/\//u.test(text);
}

/**
 * Returns the store that is named, if one is: --store, else LOOM_STORE. A kind is for the logs of a new folder; the settings decide when that is
 * made.
 */
export function resolveStore(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): StoreChoice | undefined {
  if (option !== undefined) return readKind('--store', option);
  const variable = env[STORE_VARIABLE]?.trim() ?? '';
  return variable === '' ? undefined : readKind(STORE_VARIABLE, variable);
}

/** The kind of store for a data folder. Commands that have one take no URL, which is refused before they begin. */
export function folderKind(store: StoreChoice | undefined): StoreKind | undefined {
  if (isDatabaseUrl(store)) throw new Error('a data folder was to be opened for a store without one');
  return store;
}

export const STORE_VARIABLE = 'LOOM_STORE';

function readKind(where: string, text: string): StoreChoice {
  if (isDatabaseUrl(text)) return text;
  const kind = STORE_KINDS.find((known) => known === text);
  if (kind !== undefined) return kind;
  throw new UsageError('bad-option', `${where} must be ${STORE_KINDS.join(', ')} or postgres://…, not ${shown(text)}`);
}

/** A URL that was mistyped may hold a password all the same. */
function shown(text: string): string {
  return text.includes('@') ? 'that' : JSON.stringify(text);
}
