export { isLoopback, LoomServer } from './server.ts';
export type { ListenOptions, LoomServerOptions } from './server.ts';
