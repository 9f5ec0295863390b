import type { TomlTable, TomlValue } from 'smol-toml';
import { valueAt } from '../toml/intention.ts';
import { encodeKey, type Path } from '../toml/key.ts';
import { formatKey } from './key-text.ts';
import { ConfigFile } from './schema.ts';
import { ELEMENT_NAMES, findSetting, KIND_LABELS, namesUnder, type SettingKind } from './settings.ts';
import { settingPathOf } from './spelling.ts';

/** A value of the wrong type. `place` addresses the respelled table. */
export type TypeProblem = { place: Path; key: string; message: string };

/** Checks a respelled table against the schema. */
export function findProblems(table: TomlTable): TypeProblem[] {
  const checked = ConfigFile.safeParse(table);
  if (checked.success) return [];
  return checked.error.issues.map(({ path }) => {
    const place = path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    const key = formatKey(settingPathOf(table, place));
    const found = valueAt(table, place);
    const kind = findSetting(settingPathOf(table, place))?.kind;
    const message =
      found === undefined
        ? `${key} is missing`
        : `${key} must be ${expectationAt(table, place)}, but is ${describe(found, kind)}`;
    return { place, key, message };
  });
}

function expectationAt(table: TomlTable, place: Path): string {
  // A wrong item of a list is a problem of the list.
  for (let length = place.length; length > 0; length--) {
    const path = settingPathOf(table, place.slice(0, length));
    const setting = findSetting(path);
    if (setting !== undefined) return KIND_LABELS[setting.kind];
    const [first = ''] = path;
    if (path.length === 1 && ELEMENT_NAMES.get(first) !== undefined) return `a list of tables, written as [[${first}]]`;
    if (namesUnder(path).length > 0) return `a table, written as [${encodeKey(place.slice(0, length))}]`;
  }
  return 'something else';
}

/** Describes a value; the content of a secret is not shown. */
function describe(value: TomlValue, kind: SettingKind | undefined): string {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object') return 'a table';
  // A text in the place of a table may well be a key: `openai = "sk-…"` under [providers].
  if (typeof value === 'string' && (kind === undefined || kind === 'secret')) return 'text';
  if (kind === 'secret') return typeof value === 'boolean' ? 'a truth value' : 'a number';
  if (typeof value !== 'string') return String(value);
  const shown = JSON.stringify(value);
  return `the text ${shown.length > 42 ? `${shown.slice(0, 40)}…"` : shown}`;
}
