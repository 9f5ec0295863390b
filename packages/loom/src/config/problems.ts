import type { TomlTable, TomlValue } from 'smol-toml';
import { valueAt } from '../toml/intention.ts';
import type { Path } from '../toml/key.ts';
import { formatKey } from './key-text.ts';
import { ConfigFile } from './schema.ts';
import { ELEMENT_NAMES, findSetting, KIND_LABELS, namesUnder } from './settings.ts';
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
    const isSecret = findSetting(settingPathOf(table, place))?.kind === 'secret';
    const message =
      found === undefined
        ? `${key} is missing`
        : `${key} must be ${expectationAt(table, place)}, but is ${describe(found, isSecret)}`;
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
    if (namesUnder(path).length > 0) return `a table, written as [${formatKey(path)}]`;
  }
  return 'something else';
}

/** Says what a value is; a secret's content is not shown. */
function describe(value: TomlValue, isSecret: boolean): string {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object') return 'a table';
  if (isSecret) return typeof value === 'string' ? 'text' : `a ${typeof value}`;
  if (typeof value !== 'string') return String(value);
  const shown = JSON.stringify(value);
  return `the text ${shown.length > 42 ? `${shown.slice(0, 40)}…"` : shown}`;
}
