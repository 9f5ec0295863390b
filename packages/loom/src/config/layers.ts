import { join } from 'node:path';
import type { TomlTable } from 'smol-toml';
import { errorCode, type Disk } from '@loom/data-folder/files';
import { ADDRESS_VARIABLES, KEY_VARIABLES } from '../secrets.ts';
import { STORE_VARIABLE } from '../command-line/store-kind.ts';
import { readDocument } from '../toml/document.ts';
import type { Path } from '../toml/key.ts';
import { indexLines } from '../toml/lines.ts';
import { ConfigError, systemFailure } from './config-error.ts';
import { readConfigFile, type ConfigFileContent } from './config-file.ts';
import { dropPlaceholders } from './placeholders.ts';
import { findProblems } from './problems.ts';
import { BUILT_IN } from './schema.ts';
import { respell } from './spelling.ts';
import { findWarnings, type ConfigWarning } from './warnings.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** The origin of a value. */
export type Origin =
  | { type: 'default' }
  | { type: 'file'; file: string; line: number }
  | { type: 'environment'; variable: string };

/** One source of values, in today's spelling and of the right types. */
export type Layer = {
  table: TomlTable;
  originOf: (place: Path) => Origin;
  file?: ConfigFileContent;
  /** The oddities in it that do not hinder. */
  warnings: ConfigWarning[];
};

/** Reads all sources, weakest first: built-in defaults, `config.*.toml` sorted by name, `config.toml`, the environment. */
export async function readLayers(
  disk: Disk,
  dataDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Layer[]> {
  const names = await listFiles(disk, dataDir);
  const layers: Layer[] = [builtInLayer()];
  for (const name of [...names, MAIN_FILE]) {
    const content = await readConfigFile(disk, join(dataDir, name));
    if (content !== undefined) layers.push(fileLayer(content));
  }
  return [...layers, environmentLayer(env)];
}

/** The file that Loom writes. */
export const MAIN_FILE = 'config.toml';

async function listFiles(disk: Disk, dataDir: string): Promise<string[]> {
  try {
    const names = await disk.list(dataDir);
    // By code unit, so that the order does not depend on language settings.
    return names.filter((name) => /^config\..+\.toml$/.test(name)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw systemFailure('cannot-read', dataDir, error);
  }
}

function builtInLayer(): Layer {
  return { table: BUILT_IN, originOf: () => ({ type: 'default' }), warnings: [] };
}

function fileLayer(content: ConfigFileContent): Layer {
  const { table, inFile, shadowed } = respell(content.table);
  const lineOf = indexLines(readDocument(content.text));
  const originOf = (place: Path): Origin & { type: 'file' } => {
    // A part of an inline table or list has the line of what holds it.
    for (let length = place.length; length > 0; length--) {
      const line = lineOf(inFile(place.slice(0, length)));
      if (line !== undefined) return { type: 'file', file: content.path, line };
    }
    return { type: 'file', file: content.path, line: 1 };
  };
  const problems = findProblems(table).map(({ place, message }) => ({ message, line: originOf(place).line }));
  problems.sort((left, right) => left.line - right.line);
  if (problems.length > 0) throw badTypes(content.path, problems);
  const lineAt = (place: Path): number => originOf(place).line;
  const cleared = dropPlaceholders(table);
  return {
    table: cleared.table,
    originOf,
    file: content,
    warnings: findWarnings({ file: content, table, shadowed, dropped: cleared.dropped, lineAt }),
  };
}

function environmentLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const set = [
    ...KEY_VARIABLES.map((entry) => ({ ...entry, field: 'apiKey' })),
    ...ADDRESS_VARIABLES.map((entry) => ({ ...entry, field: 'baseURL' })),
  ].flatMap((entry) => {
    const value = env[entry.variable]?.trim() ?? '';
    return value === '' ? [] : [{ ...entry, value }];
  });
  const providers: Record<string, TomlTable> = {};
  // Of several variables for one setting the first counts.
  for (const { provider, field, value } of set.toReversed())
    providers[provider] = { ...providers[provider], [field]: value };
  const store = env[STORE_VARIABLE]?.trim() ?? '';
  return {
    table: { providers, ...(store === '' ? {} : { store }) },
    originOf: ([first, provider, field]) => {
      const found = set.find((entry) => entry.provider === provider && entry.field === field);
      return { type: 'environment', variable: first === 'store' ? STORE_VARIABLE : (found?.variable ?? '') };
    },
    warnings: [],
  };
}

function badTypes(file: string, problems: readonly { message: string; line: number }[]): ConfigError {
  const lines = problems.map(({ message, line }) => `${file}:${line}: ${message}`);
  return new ConfigError('bad-type', lines.join('\n'), {
    advice: `Correct it in an editor or with ${suggest('config set')}; see loom help config.`,
    details: { file, problems },
  });
}
