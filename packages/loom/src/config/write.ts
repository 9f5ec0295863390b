import { join } from 'node:path';
import type { TomlTable, TomlValue } from 'smol-toml';
import { FolderError, LockTimeout, nodeDisk, replaceFile, type Disk, withLock } from '@loom/data-folder/files';
import { setInToml, unsetInToml, type EditRefusal, type EditResult } from '../toml/edit.ts';
import { isTable, valueAt } from '../toml/intention.ts';
import type { Literal } from '../toml/literal.ts';
import { parseToml } from '../toml/parse.ts';
import { ConfigError, systemFailure } from './config-error.ts';
import { LARGEST_FILE, parseConfigText, readConfigFile, type ConfigFileText } from './config-file.ts';
import type { SettingPath } from './key-text.ts';
import { MAIN_FILE } from './layers.ts';
import { findProblems } from './problems.ts';
import { ELEMENT_NAMES } from './settings.ts';
import { placesIn, respell } from './spelling.ts';
import { holdsSecrets } from './warnings.ts';

/** The target of a configuration: always `config.toml`. */
export type ConfigTarget = {
  dataDir: string;
  disk?: Disk;
  /** The longest wait for another process that is writing, in milliseconds. */
  patience?: number;
};

/** The reason nothing was written. */
export type WriteRefusal =
  /** The refusal if another process keeps changing the file. */
  | { reason: 'changed-since' }
  /** The reader would not accept the result. */
  | { reason: 'invalid-value'; message: string }
  | Exclude<EditRefusal, { reason: 'bad-toml' }>;

export type WriteResult =
  | { ok: true; file: string; changed: boolean; /** The mode that was too open, if it was. */ tightenedFrom?: number }
  | { ok: false; refusal: WriteRefusal };

/** Sets one value in `config.toml`, and takes others out in the same step; everything else in the file stays byte for byte. */
export function setConfigValue(
  target: ConfigTarget,
  path: SettingPath,
  value: Literal,
  without: readonly SettingPath[] = [],
): Promise<WriteResult> {
  return changeFile(target, (text, table) => {
    const set = setIn(text, table, path, value);
    return set.ok ? unsetAll(set.text, without) : set;
  });
}

function setIn(text: string, table: TomlTable, path: SettingPath, value: Literal): EditResult {
  const { table: respelled, inFile } = respell(table);
  const { place, isNewElement } = placesIn(respelled)(path);
  const nameField = ELEMENT_NAMES.get(path[0] ?? '');
  const [, elementName] = path;
  if (!isNewElement || nameField === undefined || elementName === undefined) {
    return setInToml(text, inFile(place), value);
  }
  // A new element begins with its name, by which it is found again.
  const named = setInToml(text, inFile([...place.slice(0, 2), nameField]), elementName);
  return named.ok ? setInToml(named.text, inFile(place), value) : named;
}

/** Takes values, tables or named elements out of `config.toml`, in every spelling and in one step. */
export async function unsetConfigValue(target: ConfigTarget, ...paths: SettingPath[]): Promise<WriteResult> {
  const file = join(target.dataDir, MAIN_FILE);
  if ((await readConfigFile(target.disk ?? nodeDisk, file)) === undefined) return { ok: true, file, changed: false };
  return changeFile(target, (text) => unsetAll(text, paths));
}

function unsetAll(text: string, paths: readonly SettingPath[]): EditResult {
  let result: EditResult = { ok: true, text };
  for (const path of paths) {
    while (result.ok) {
      const { table: respelled, inFile } = respell(tableOf(result.text));
      const { place, isNewElement } = placesIn(respelled)(path);
      if (isNewElement || valueAt(respelled, place) === undefined) break;
      result = unsetInToml(result.text, inFile(place));
    }
  }
  return result;
}

/** Adds an element to an array of tables, behind the others, in one step. */
export function appendElement(
  target: ConfigTarget,
  array: string,
  fields: Readonly<Record<string, Literal>>,
): Promise<WriteResult> {
  return changeFile(target, (text, table) => {
    const index = elementsOf(table, array).length;
    let result: EditResult = { ok: true, text };
    for (const [key, value] of Object.entries(fields)) {
      if (result.ok) result = setInToml(result.text, [array, index, key], value);
    }
    return result;
  });
}

/** Takes the first fitting element out of an array of tables. */
export function removeElement(
  target: ConfigTarget,
  array: string,
  fits: (element: TomlTable, index: number) => boolean,
): Promise<WriteResult> {
  return changeFile(target, (text, table) => {
    const index = elementsOf(table, array).findIndex((element, at) => isTable(element) && fits(element, at));
    return index === -1 ? { ok: true, text } : unsetInToml(text, [array, index]);
  });
}

function elementsOf(table: TomlTable, array: string): readonly TomlValue[] {
  const value = table[array];
  return Array.isArray(value) ? value : [];
}

/** Replaces the text of `config.toml`, unless it has changed since it was read or the reader would not accept the new one. */
export function replaceConfigText(
  target: ConfigTarget,
  read: ConfigFileText | undefined,
  text: string,
): Promise<WriteResult> {
  return underLock(target, async (disk, path) => {
    const problem = findProblems(respell(parseConfigText(path, text)).table)[0];
    if (problem !== undefined) return refuse({ reason: 'invalid-value', message: problem.message });
    return put(disk, path, read, text);
  });
}

const ATTEMPTS = 5;
const PATIENCE = 10_000;

function changeFile(
  target: ConfigTarget,
  change: (text: string, table: TomlTable) => EditResult,
): Promise<WriteResult> {
  return underLock(target, async (disk, path) => {
    // The lock keeps other Loom processes out; an editor may still save in between, so look again and retry.
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = await changeOnce(disk, path, change);
      if (result.ok || result.refusal.reason !== 'changed-since') return result;
    }
    return refuse({ reason: 'changed-since' });
  });
}

async function changeOnce(
  disk: Disk,
  path: string,
  change: (text: string, table: TomlTable) => EditResult,
): Promise<WriteResult> {
  const present = await readConfigFile(disk, path);
  const before = present?.table ?? {};
  const edited = change(present?.text ?? '', before);
  if (!edited.ok) {
    if (edited.refusal.reason === 'bad-toml') throw new Error('a file that was parsed does not parse');
    return refuse(edited.refusal);
  }
  const message = newProblem(respell(before).table, respell(tableOf(edited.text)).table);
  return message === undefined ? put(disk, path, present, edited.text) : refuse({ reason: 'invalid-value', message });
}

async function put(disk: Disk, path: string, present: ConfigFileText | undefined, text: string): Promise<WriteResult> {
  const content = new TextEncoder().encode(text);
  if (content.length > LARGEST_FILE) {
    return refuse({ reason: 'invalid-value', message: 'the configuration would become larger than 4 MB' });
  }
  const mode = present?.mode ?? 0o600;
  const isTooOpen = (mode & 0o077) !== 0 && holdsSecrets(respell(tableOf(text)).table);
  const done = { ok: true as const, file: path, ...(isTooOpen ? { tightenedFrom: mode } : {}) };
  const closedMode = isTooOpen ? mode & 0o700 : mode;
  if (text === present?.text) {
    if (isTooOpen) await disk.setMode(path, closedMode);
    return { ...done, changed: false };
  }
  const replaced = await replaceFile(disk, { path, content, expected: present?.bytes, mode: closedMode });
  return replaced.ok ? { ...done, changed: true } : replaced;
}

async function underLock(
  { dataDir, disk = nodeDisk, patience = PATIENCE }: ConfigTarget,
  work: (disk: Disk, path: string) => Promise<WriteResult>,
): Promise<WriteResult> {
  const path = join(dataDir, MAIN_FILE);
  try {
    await disk.makeDirectory(dataDir);
    await disk.checkWritable(dataDir);
    return await withLock(join(dataDir, 'config.lock'), patience, () => work(disk, path));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (error instanceof LockTimeout) {
      throw new ConfigError('locked', `another process has been changing ${path} for ${patience / 1000} seconds`, {
        advice: 'Wait for it, or end it, and try again; nothing was changed.',
        details: { file: path },
      });
    }
    if (error instanceof FolderError) {
      const advice =
        'config.lock keeps two processes from writing at once. Correct its permissions and those of its folder.';
      const told = { advice, details: { file: path }, cause: error };
      throw new ConfigError('cannot-write', `cannot write ${path}: ${error.message}`, told);
    }
    throw systemFailure('cannot-write', path, error);
  }
}

/** A problem that the file did not have before; older ones are not this edit's business. */
function newProblem(before: TomlTable, after: TomlTable): string | undefined {
  const known = new Set(findProblems(before).map(({ message }) => message));
  return findProblems(after).find(({ message }) => !known.has(message))?.message;
}

function tableOf(text: string): TomlTable {
  const parsed = parseToml(text);
  if (!parsed.ok) throw new Error('an edit that was verified does not parse');
  return parsed.table;
}

function refuse(refusal: WriteRefusal): WriteResult {
  return { ok: false, refusal };
}
