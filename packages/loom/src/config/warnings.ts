import type { TomlTable, TomlValue } from 'smol-toml';
import { nearest } from '@loom/blocks/nearest-word';
import { isTable, valueAt } from '../toml/intention.ts';
import { encodeKey, type Path } from '../toml/key.ts';
import type { ConfigFileContent } from './config-file.ts';
import { formatKey } from './key-text.ts';
import { ELEMENT_NAMES, findSetting, isSecret, namesUnder } from './settings.ts';
import { settingPathOf } from './spelling.ts';

/** An oddity that does not hinder. */
export type ConfigWarning = { code: ConfigWarningCode; message: string; file?: string; line?: number; key?: string };

export type ConfigWarningCode =
  | 'unknown-key'
  | 'two-spellings'
  | 'placeholder'
  | 'fraction'
  | 'same-name'
  | 'open-file'
  | 'missing-preset';

type Scene = {
  file: ConfigFileContent;
  /** The table in today's spelling, placeholders included. */
  table: TomlTable;
  shadowed: readonly Path[];
  dropped: readonly Path[];
  lineAt: (place: Path) => number;
};

/** Finds oddities in a file that its owner may want to know. */
export function findWarnings(scene: Scene): ConfigWarning[] {
  const { file, table, lineAt } = scene;
  const warn = (code: ConfigWarningCode, place: Path, say: (key: string) => string): ConfigWarning => {
    const key = formatKey(settingPathOf(table, place));
    return { code, message: say(key), file: file.path, line: lineAt(place), key };
  };
  const warnings: ConfigWarning[] = [];
  visit(table, [], (place, value) => {
    const path = settingPathOf(table, place);
    const setting = findSetting(path);
    const isKnown = setting !== undefined || namesUnder(path).length > 0;
    if (!isKnown) {
      const guess = nearest(path.at(-1) ?? '', namesUnder(path.slice(0, -1)));
      const suggestion = guess === undefined ? '' : `; did you mean ${guess}?`;
      warnings.push(warn('unknown-key', place, (key) => `Loom does not know ${key} (kept as it is)${suggestion}`));
    }
    if (setting?.kind === 'count' && typeof value === 'number' && !Number.isInteger(value)) {
      warnings.push(warn('fraction', place, (key) => `${key} = ${value} is taken as ${Math.floor(value)}`));
    }
    return isKnown;
  });
  for (const place of scene.dropped) {
    warnings.push(warn('placeholder', place, (key) => `${key} is still the example text and counts as not set`));
  }
  for (const place of scene.shadowed) {
    const message = `${encodeKey(place)} is not used: the same setting is also there in today's spelling`;
    warnings.push({ code: 'two-spellings', message, file: file.path });
  }
  for (const place of repeatedElements(table)) {
    warnings.push(warn('same-name', place, (key) => `${key} appears more than once; the last one counts`));
  }
  if ((file.mode & 0o077) !== 0 && process.platform !== 'win32' && holdsSecrets(table)) {
    const mode = file.mode.toString(8).padStart(4, '0');
    const message = `other users may read it (mode ${mode}) and it holds keys; run: chmod 600 ${file.path}`;
    warnings.push({ code: 'open-file', message, file: file.path });
  }
  return warnings;
}

/** Returns true if a respelled table holds a secret, such as a key. */
export function holdsSecrets(table: TomlTable): boolean {
  let found = false;
  visit(table, [], (place, value) => {
    if (typeof value === 'string' && value !== '' && isSecret(settingPathOf(table, place))) found = true;
    return true;
  });
  return found;
}

/** Visits every place below `value`; `enter` returns true to go on inside. */
function visit(value: TomlValue, place: Path, enter: (place: Path, value: TomlValue) => boolean): void {
  const isElements = place.length === 1 && ELEMENT_NAMES.get(String(place[0])) !== undefined && Array.isArray(value);
  const children: [string | number, TomlValue][] = isElements
    ? [...value.entries()]
    : isTable(value)
      ? Object.entries(value)
      : [];
  for (const [part, child] of children) {
    const inner = [...place, part];
    if (enter(inner, child)) visit(child, inner, enter);
  }
}

function repeatedElements(table: TomlTable): Path[] {
  return [...ELEMENT_NAMES].flatMap(([array, nameField]) => {
    const elements = valueAt(table, [array]);
    if (!Array.isArray(elements)) return [];
    const seen = new Set<unknown>();
    return elements.flatMap((element, index): Path[] => {
      const name = isTable(element) ? element[nameField] : undefined;
      const isRepeated = seen.has(name);
      seen.add(name);
      return isRepeated ? [[array, index]] : [];
    });
  });
}
