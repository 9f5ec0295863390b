export type { ChangeWatch, RunningWatch } from './shell/shell-ports.ts';
export type { RulePort, RuleUse, StoredRule } from './policy/stored-rule.ts';
export type { SeenTool, SeenTools, ServerSettings, ToolSettings, ToolSettingsPort } from './servers/server-settings.ts';
export { createTools } from './toolbox.ts';
export type { Toolbox, ToolsPorts } from './toolbox.ts';
export { checkedAddress } from './web/http-get.ts';
