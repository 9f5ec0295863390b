export { bareConnections, noDatabase, sharedServerVariable, testSchema } from './database.ts';
export type { TestSchema } from './database.ts';
export { openCutter } from './connection-cutter.ts';
export type { ConnectionCutter } from './connection-cutter.ts';
export { findPostgres, startServer } from './server.ts';
export type { PrivateServer, ServerOptions } from './server.ts';
