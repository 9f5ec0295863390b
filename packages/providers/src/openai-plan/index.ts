export { PlanAccount } from './plan-account.ts';
export type { PlanState } from './plan-account.ts';
export { PlanError } from './plan-error.ts';
export { planRecord } from './plan-record.ts';
export type { PlanKeeper, PlanRecord } from './plan-record.ts';
export { usualIssuer } from './plan-service.ts';
export { createPlanProvider } from './provider.ts';
