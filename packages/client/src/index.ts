export { LoomClient, signIn } from './client.ts';
export type { CallOptions, ClientOptions, ClientPorts } from './client.ts';
export { ClientError } from './client-error.ts';
export type { FollowedConversation, FollowOptions } from './followed-conversation.ts';
export type { FollowedList, FollowListOptions } from './followed-list.ts';
export type { Fetch, FetchAnswer, FetchInit, OpenSocket, Socket } from './ports.ts';
export type { Locate, ServerPlace } from './server-place.ts';
