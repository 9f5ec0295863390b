export { demoModels } from './models.ts';
export type { DemoModel } from './models.ts';
export { createDemoProvider } from './provider.ts';
export type { DemoProviderOptions } from './provider.ts';
export { demoTools } from './tools/index.ts';
