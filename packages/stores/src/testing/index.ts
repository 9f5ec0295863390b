export { testStoreContract } from './contract.ts';
export type { StoreData, StoreKind } from './contract.ts';
export { damageBytes, damages } from './damaged-bytes.ts';
export type { Damage } from './damaged-bytes.ts';
export { SimulatedFiles, simulatedFaults } from './simulated-files.ts';
export type { SimulationPlan } from './simulated-files.ts';
export { begin } from './writer.ts';
