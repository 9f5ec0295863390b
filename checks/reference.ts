import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  dataOperations,
  exportOperations,
  importOperations,
  kernelOperations,
  loginOperations,
  modelOperations,
  promptOperations,
  settingOperations,
} from '@loom/kernel';
import type { Operation } from '@loom/kernel';
import { tokenOperations } from '@loom/server/access';
import { openApiDocument } from '@loom/server/openapi';
import { createTools } from '@loom/tools';
import type { Finding } from './finding.ts';
import { renderOperationTypes } from './operation-types.ts';
import { renderOperations } from './operations-reference.ts';
import { isTestFile, lineAt, listSources, readText } from './repository.ts';

/** The files of the reference, and what makes them. */
const files: Readonly<Record<string, () => string>> = {
  'docs/reference/operations.md': () => renderOperations(allOperations()),
  'docs/reference/openapi.json': () => `${JSON.stringify(openApiDocument(allOperations()), undefined, 2)}\n`,
  'packages/kernel/src/operations/host/added-calls.ts': () => renderOperationTypes(toolOperations()),
};

/** Compares the reference of operations with the table that it is made from, and the table with the sources. */
export function checkReference(root: string): Finding[] {
  if (!existsSync(join(root, 'packages/kernel/src/operations'))) return [];
  const stale = outdated(root).map(([file]) => ({
    file,
    message: 'it is not what the table of operations says: npm run reference',
  }));
  return [...stale, ...unlisted(root)];
}

/** Finds rows in the sources that the table below does not have, such as those of a package that is new to it. */
function unlisted(root: string): Finding[] {
  const known = new Set(allOperations().map(({ name }) => name));
  return listSources(root)
    .filter((file) => file.startsWith('packages/') && !isTestFile(file))
    .flatMap((file) => {
      const text = readText(root, file);
      return [...text.matchAll(/defineOperation\(\{\s*name: '(?<name>[^']+)'/gu)]
        .filter(({ groups }) => !known.has(groups?.['name'] ?? ''))
        .map(({ groups, index }) => ({
          file,
          line: lineAt(text, index),
          message: `${groups?.['name']} is missing from the reference: add its table to checks/reference.ts`,
        }));
    });
}

/** Writes the reference; returns the files that changed. */
export function writeReference(root: string): string[] {
  return outdated(root).map(([file, text]) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
    return file;
  });
}

function outdated(root: string): [file: string, text: string][] {
  return Object.entries(files)
    .map(([file, render]): [string, string] => [file, render()])
    .filter(([file, text]) => !existsSync(join(root, file)) || readText(root, file) !== text);
}

function notRun(): Promise<never> {
  return Promise.reject(new Error('a row that is described is not run'));
}

/** The rows of packages/tools, which neither the kernel nor the client may import. */
function toolOperations(): readonly Operation[] {
  const clock = { now: () => 0, after: () => () => {} };
  return createTools({ clock, processes: { spawn: notRun }, environment: {}, platform: 'linux' }).operations;
}

/** The whole table, without what it works on: a row is described without being run. */
const allOperations = (): readonly Operation[] => [
  ...kernelOperations,
  ...modelOperations({ models: notRun, providers: notRun, presets: notRun, check: notRun, setKey: notRun }),
  ...loginOperations({ list: notRun, start: notRun, finish: notRun, cancel: notRun, end: notRun }),
  ...settingOperations({ list: notRun, set: notRun, unset: notRun }),
  ...dataOperations({ sizes: notRun }),
  ...exportOperations({ create: notRun, archive: notRun }),
  ...promptOperations({ files: notRun }),
  ...importOperations({
    discover: notRun,
    prepare: notRun,
    follow: notRun,
    isFollowing: () => false,
    remarks: () => [],
  }),
  ...toolOperations(),
  ...tokenOperations(notRun, notRun),
];
