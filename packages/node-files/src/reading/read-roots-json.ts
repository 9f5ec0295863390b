import { join } from 'node:path';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { RootConfig } from '@loom/kernel';
import { readJsonFile } from './json-file.ts';
import { rootsFileName } from '../file-names.ts';
import { describeNewerFormat, newerFormat } from '../newer-format.ts';
import { describeProblem } from '../problem.ts';
import type { NodeFileProblem } from '../problem.ts';

/** A root as `roots.json` lists it. */
export interface RootEntry {
  id: string;
  createdAt?: string;
  config: RootConfig;
  childIds: readonly string[];
  deleted: boolean;
  /** Keys that no generation had, and invalid values. */
  extra: PlainObject;
}

/** The list of roots, in its order. */
export interface RootsJson {
  file: string;
  status: 'read' | 'missing' | 'invalid';
  entries: RootEntry[];
  problems: NodeFileProblem[];
}

/** Reads the readable part of `roots.json`. It is an index: the folders supply the rest. */
export function readRootsJson(directory: string): RootsJson {
  const file = join(directory, rootsFileName);
  const nothing = (status: RootsJson['status'], message: string): RootsJson => {
    const problem = describeProblem('roots-invalid', file, `${message}; the list is rebuilt from the folders`);
    return { file, status, entries: [], problems: [problem] };
  };
  const json = readJsonFile(file);
  if (!json.ok && json.problem.code === 'node-missing') return nothing('missing', 'is not there');
  if (!json.ok) return nothing('invalid', json.problem.message);
  const newer = newerFormat(isPlainObject(json.value) ? json.value['format'] : undefined);
  if (newer !== undefined) {
    const message = `${describeNewerFormat(newer)}; meanwhile the list is made from the folders`;
    return { file, status: 'invalid', entries: [], problems: [describeProblem('root-format-newer', file, message)] };
  }
  if (!Array.isArray(json.value)) return nothing('invalid', 'is not a JSON array');
  const values: readonly unknown[] = json.value;
  const entries = new Map<string, RootEntry>();
  const problems = [...json.problems];
  for (const [index, value] of values.entries()) {
    const { entry, faults } = readEntry(value);
    if (entry !== undefined && entries.has(entry.id)) faults.push(`${entry.id} is listed twice; the first counts`);
    else if (entry !== undefined) entries.set(entry.id, entry);
    for (const fault of faults) problems.push(describeProblem('root-entry-invalid', file, `entry ${index}: ${fault}`));
  }
  return { file, status: 'read', entries: [...entries.values()], problems };
}

function readEntry(value: unknown): { entry: RootEntry | undefined; faults: string[] } {
  if (!isPlainObject(value)) return { entry: undefined, faults: ['is not an object and is left out'] };
  const { id, createdAt, config, child_ids, deleted, ...others } = value;
  if (typeof id !== 'string' || id === '') return { entry: undefined, faults: ['has no id and is left out'] };
  const extra = new Map<string, unknown>(Object.entries(others));
  const faults: string[] = [];
  const refuse = (key: string, wrong: unknown, fits: boolean): void => {
    if (fits || wrong === undefined) return;
    extra.set(key, wrong);
    faults.push(`${key} is not what it should be; it is kept beside the config`);
  };
  const { config: usable, prompt } = readConfig(config);
  const children: readonly unknown[] = Array.isArray(child_ids) ? child_ids : [];
  refuse('createdAt', createdAt, typeof createdAt === 'string');
  refuse('config', config, isPlainObject(config));
  refuse('systemPrompt', prompt, false);
  refuse('child_ids', child_ids, Array.isArray(child_ids));
  refuse('deleted', deleted, typeof deleted === 'boolean');
  const entry: RootEntry = {
    id,
    ...(typeof createdAt === 'string' ? { createdAt } : {}),
    config: usable,
    childIds: children.filter((child) => typeof child === 'string'),
    deleted: deleted === true,
    extra: Object.fromEntries(extra),
  };
  return { entry, faults };
}

/** Returns the config with its prompt if that is a text, and separately a prompt that is not. */
function readConfig(config: unknown): { config: RootConfig; prompt: unknown } {
  if (!isPlainObject(config)) return { config: {}, prompt: undefined };
  const { systemPrompt, ...rest } = config;
  if (typeof systemPrompt === 'string') return { config: { ...rest, systemPrompt }, prompt: undefined };
  return { config: rest, prompt: systemPrompt };
}
