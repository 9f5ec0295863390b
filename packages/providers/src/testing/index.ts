export { testProviderContract } from './contract.ts';
export type { ContractMaterial } from './contract.ts';
export { testToolContract } from './tool-contract.ts';
export type { ToolMaterial } from './tool-contract.ts';
