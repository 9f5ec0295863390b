export { anthropicWire } from './emulators/anthropic.ts';
export { startEmulator } from './emulators/core.ts';
export { googleWire } from './emulators/google.ts';
export type { Emulator, EmulatedWire, Script } from './emulators/core.ts';
export { testProviderContract } from './contract.ts';
export type { ContractMaterial } from './contract.ts';
export { testToolContract } from './tool-contract.ts';
export type { ToolMaterial } from './tool-contract.ts';
