export type { ChangeWatch } from './shell/shell-ports.ts';
export type { RulePort, StoredRule } from './policy/stored-rule.ts';
export { createTools } from './toolbox.ts';
export type { Toolbox, ToolsPorts } from './toolbox.ts';
