export { withFaults } from './faults.ts';
export type { AppendCall, AppendFault } from './faults.ts';
export { createMemoryStore } from './memory-store.ts';
export type { MemoryStore, MemoryStoreOptions } from './memory-store.ts';
