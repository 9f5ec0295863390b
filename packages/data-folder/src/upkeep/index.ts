export { createExamination, lostLogOf, stateOf, takeNews } from '../examining/examination.ts';
export type { Examination, Finding, SetAside } from '../examining/examination.ts';
export { examineFolder } from '../examining/examine-folder.ts';
export { examineStore } from '../examining/examine-store.ts';
export { setAside } from '../examining/set-aside.ts';
export { measureUsage, usageParts } from './disk-usage.ts';
export { maintenanceOf } from './store-maintenance.ts';
