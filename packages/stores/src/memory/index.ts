export { withFaults } from './faults.ts';
export type { AppendFault } from './faults.ts';
export { createMemoryStore } from './memory-store.ts';
export type { MemoryStore } from './memory-store.ts';
