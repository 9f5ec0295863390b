export { discoverServers, wellKnownAddresses } from './discovery.ts';
export type { DiscoveryDependencies, FoundServer, ServerAddress, ServerKind } from './discovery.ts';
export type { FoundModel } from './server-lists.ts';
export { createCompatibleProvider } from './provider.ts';
export type { CompatibleSettings } from './provider.ts';
