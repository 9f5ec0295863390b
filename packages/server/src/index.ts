export { isLoopback, LoomServer } from './server.ts';
export { describeFailure } from './observing/server-log.ts';
export type { LogEntry, WriteLog } from './observing/server-log.ts';
export type { PageFile, PageFiles } from './page/page-routes.ts';
export type { PushNetwork, PushRequest } from './push/pushes.ts';
export type { UploadPort } from './routes/upload-routes.ts';
export type { ListenOptions, LoomServerOptions } from './server.ts';
