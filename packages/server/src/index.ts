export { isLoopback, LoomServer } from './server.ts';
export { describeFailure } from './observing/server-log.ts';
export type { LogEntry, WriteLog } from './observing/server-log.ts';
export type { ListenOptions, LoomServerOptions } from './server.ts';
