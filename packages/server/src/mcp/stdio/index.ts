export { bridgeStdio } from './bridge.ts';
export type { BridgeOptions, FetchLike } from './bridge.ts';
