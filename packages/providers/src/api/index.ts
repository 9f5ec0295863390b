export type { ApiDependencies, Timeouts } from './api.ts';
