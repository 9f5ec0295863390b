export { createTools } from './toolbox.ts';
export type { Toolbox, ToolsPorts } from './toolbox.ts';
