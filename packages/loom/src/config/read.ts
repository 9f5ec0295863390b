import type { TomlTable, TomlValue } from 'smol-toml';
import { nodeDisk, type Disk } from '@loom/data-folder/files';
import { isTable, valueAt } from '../toml/intention.ts';
import type { SettingPath } from './key-text.ts';
import { readLayers, type Layer, type Origin } from './layers.ts';
import { Config } from './schema.ts';
import { ELEMENT_NAMES, isSecret } from './settings.ts';
import { placesIn } from './spelling.ts';
import type { ConfigWarning } from './warnings.ts';

/** The source of a configuration. */
export type ConfigSource = {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  disk?: Disk;
};

export type LoadedConfig = {
  config: Config;
  /** Every value in effect with its origin, sorted by key. */
  entries: ConfigEntry[];
  /** The oddities that do not hinder. */
  warnings: ConfigWarning[];
  /** The files that were read, weakest first. */
  files: string[];
};

/** One value in effect. */
export type ConfigEntry = { path: SettingPath; value: ConfigValue; origin: Origin; isSecret: boolean };

/** A value in effect, as JSON has it; tables stand in lists only. */
export type ConfigValue = string | number | boolean | null | ConfigValue[] | { [key: string]: ConfigValue };

/** Reads the configuration in effect; fails with a ConfigError when a file cannot be read. */
export async function readConfig({ dataDir, env, disk = nodeDisk }: ConfigSource): Promise<LoadedConfig> {
  const layers = await readLayers(disk, dataDir, env);
  const merged = layers.reduce<TomlTable>((below, { table }) => mergeTables(below, table, []), {});
  const config = Config.parse(merged);
  const originOf = findOrigins(layers);
  const entries = leavesOf(config, []).map(({ path, value }) => ({
    path,
    value,
    origin: originOf(path),
    isSecret: isSecret(path),
  }));
  return {
    config,
    entries: entries.sort((left, right) => compare(left.path, right.path)),
    warnings: [...layers.flatMap(({ warnings }) => warnings), ...missingPreset(config)],
    files: layers.flatMap(({ file }) => (file === undefined ? [] : [file.path])),
  };
}

/** A stronger layer's values replace a weaker one's; tables are merged key by key, named elements replaced whole. */
function mergeTables(below: TomlTable, above: TomlTable, path: SettingPath): TomlTable {
  const merged: TomlTable = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const present = Object.hasOwn(below, key) ? below[key] : undefined;
    merged[key] = mergeValues(present, value, [...path, key]);
  }
  return merged;
}

function mergeValues(below: TomlValue | undefined, above: TomlValue, path: SettingPath): TomlValue {
  if (isTable(above)) return mergeTables(isTable(below) ? below : {}, above, path);
  const nameField = path.length === 1 ? ELEMENT_NAMES.get(path[0] ?? '') : undefined;
  if (nameField === undefined || !Array.isArray(above)) return above;
  // Replaced whole, so that one server's arguments never meet another's command. A Map keeps the first one's position.
  const elements = new Map<unknown, TomlValue>();
  for (const element of [...(Array.isArray(below) ? below : []), ...above]) {
    elements.set(isTable(element) ? element[nameField] : element, element);
  }
  return [...elements.values()];
}

function findOrigins(layers: readonly Layer[]): (path: SettingPath) => Origin {
  const strongestFirst = layers.toReversed().map((layer) => ({ layer, placeOf: placesIn(layer.table) }));
  return (path) => {
    for (const { layer, placeOf } of strongestFirst) {
      const { place } = placeOf(path);
      if (valueAt(layer.table, place) !== undefined) return layer.originOf(place);
    }
    return { type: 'default' };
  };
}

function leavesOf(value: unknown, path: SettingPath): { path: SettingPath; value: ConfigValue }[] {
  const [first = ''] = path;
  const nameField = path.length === 1 ? ELEMENT_NAMES.get(first) : undefined;
  if (nameField !== undefined && Array.isArray(value)) {
    return value.flatMap((element: unknown) => {
      const name = isTable(element) ? element[nameField] : undefined;
      return typeof name === 'string' ? leavesOf(element, [...path, name]) : [];
    });
  }
  if (isTable(value)) return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]));
  return [{ path, value: toConfigValue(value) }];
}

function toConfigValue(value: unknown): ConfigValue {
  if (Array.isArray(value)) return value.map(toConfigValue);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return String(value);
  if (!isTable(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, toConfigValue(child)]));
}

function missingPreset(config: Config): ConfigWarning[] {
  const name = config.activePresetName;
  if (name === undefined || name === '' || Object.hasOwn(config.presets, name)) return [];
  const message = `activePresetName names the preset ${JSON.stringify(name)}, which does not exist`;
  return [{ code: 'missing-preset', message }];
}

function compare(left: SettingPath, right: SettingPath): number {
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part !== other) return part < other ? -1 : 1;
  }
  return left.length - right.length;
}
