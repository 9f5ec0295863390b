import type { TomlTable, TomlValue } from 'smol-toml';
import { isTable } from '../toml/intention.ts';
import type { Path } from '../toml/key.ts';
import type { SettingPath } from './key-text.ts';
import { ELEMENT_NAMES, todaysSpelling } from './settings.ts';

/** A table in today's spelling, and how each place in it is spelled in the file. */
export type Respelled = {
  table: TomlTable;
  /** Returns the path in the file of a place in `table`; one that is not there yet is spelled in today's way. */
  inFile: (path: Path) => Path;
  /** Keys that stand there twice, in today's and in an older spelling; today's one counts. */
  shadowed: Path[];
};

/** Reads older spellings as today's. */
export function respell(table: TomlTable): Respelled {
  const spellings = new Map<string, Path>();
  const shadowed: Path[] = [];
  const respelled = respellTable(table, [], [], []);
  return {
    table: respelled,
    inFile(path) {
      for (let length = path.length; length > 0; length--) {
        const spelled = spellings.get(JSON.stringify(path.slice(0, length)));
        if (spelled !== undefined) return [...spelled, ...path.slice(length)];
      }
      return path;
    },
    shadowed,
  };

  // `names` is where we are in terms of settings, `to` in the result and `from` in the file.
  function respellTable(source: TomlTable, names: SettingPath, to: Path, from: Path): TomlTable {
    const result: TomlTable = {};
    for (const [key, value] of Object.entries(source)) {
      const name = todaysSpelling(names, key);
      if (name !== key && Object.hasOwn(source, name)) {
        shadowed.push([...from, key]);
        continue;
      }
      const place = [...to, name];
      spellings.set(JSON.stringify(place), [...from, key]);
      result[name] = respellValue(value, [...names, name], place, [...from, key]);
    }
    return result;
  }

  function respellValue(value: TomlValue, names: SettingPath, to: Path, from: Path): TomlValue {
    if (isTable(value)) return respellTable(value, names, to, from);
    const [first = ''] = names;
    if (!Array.isArray(value) || names.length > 1 || ELEMENT_NAMES.get(first) === undefined) return value;
    return value.map((item, index) => {
      const place = [...to, index];
      spellings.set(JSON.stringify(place), [...from, index]);
      return isTable(item) ? respellTable(item, [...names, '*'], place, [...from, index]) : item;
    });
  }
}

/** Finds the places of settings in a respelled table. An element that is not there gets the next free number. */
export function placesIn(table: TomlTable): (path: SettingPath) => { place: Path; isNewElement: boolean } {
  const numbers = new Map(
    [...ELEMENT_NAMES].map(([array, nameField]) => [array, elementNumbers(table, array, nameField)]),
  );
  return (path) => {
    const [first = '', element, ...rest] = path;
    const elements = numbers.get(first);
    if (elements === undefined || element === undefined) return { place: path, isNewElement: false };
    const number = elements.byName.get(element);
    return { place: [first, number ?? elements.count, ...rest], isNewElement: number === undefined };
  };
}

/** The last of several with one name counts, as in merging. */
function elementNumbers(
  table: TomlTable,
  array: string,
  nameField: string,
): { byName: Map<unknown, number>; count: number } {
  const items = table[array];
  const elements = Array.isArray(items) ? items : [];
  const named = elements.map((item, index) => [isTable(item) ? item[nameField] : undefined, index] as const);
  return { byName: new Map(named), count: elements.length };
}

/** The setting at a place: the opposite of `placesIn`. */
export function settingPathOf(table: TomlTable, place: Path): SettingPath {
  const [first = '', index, ...rest] = place;
  const nameField = ELEMENT_NAMES.get(String(first));
  if (nameField === undefined || typeof index !== 'number') return place.map(String);
  const items = table[String(first)];
  const item = Array.isArray(items) ? items[index] : undefined;
  const name = isTable(item) ? item[nameField] : undefined;
  return [String(first), typeof name === 'string' ? name : `#${index + 1}`, ...rest.map(String)];
}
