import { STORE_KINDS } from '@loom/data-folder/store-kind';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { UsageError } from './failure.ts';

/** Returns the store for the logs of a new folder, if one is named: --store, else LOOM_STORE. The settings decide when a new folder is made. */
export function resolveStore(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): StoreKind | undefined {
  if (option !== undefined) return readKind('--store', option);
  const variable = env[STORE_VARIABLE]?.trim() ?? '';
  return variable === '' ? undefined : readKind(STORE_VARIABLE, variable);
}

export const STORE_VARIABLE = 'LOOM_STORE';

function readKind(where: string, text: string): StoreKind {
  const kind = STORE_KINDS.find((known) => known === text);
  if (kind !== undefined) return kind;
  throw new UsageError('bad-option', `${where} must be ${STORE_KINDS.join(' or ')}, not ${JSON.stringify(text)}`);
}
