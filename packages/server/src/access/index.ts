export { tokenOperations } from './token-operations.ts';
export { identityFields, openTokens, Tokens } from './tokens.ts';
export type { Share, ShareKeeper } from '../sharing/shares.ts';
export type { Identity, TokenKeeper, TokenRecord } from './tokens.ts';
export type { PushKeeper } from '../push/subscriptions.ts';
