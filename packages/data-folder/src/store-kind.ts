/** The kinds of store for the logs of a data folder: a database, or files that every tool can read. */
export const STORE_KINDS = ['sqlite', 'files'] as const;

export type StoreKind = (typeof STORE_KINDS)[number];
