export { ConfigError } from './config-error.ts';
export { readConfigText, type ConfigFileText } from './config-file.ts';
export { formatKey, parseKeyText, type SettingPath } from './key-text.ts';
export { MAIN_FILE, type Origin } from './layers.ts';
export { readConfig, type ConfigEntry, type ConfigValue } from './read.ts';
export { findSetting, namesUnder, SETTINGS } from './settings.ts';
export { parseValueText } from './value-text.ts';
export type { ConfigWarning } from './warnings.ts';
export { replaceConfigText, setConfigValue, unsetConfigValue, type WriteRefusal, type WriteResult } from './write.ts';
