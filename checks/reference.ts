import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  dataOperations,
  exportOperations,
  importOperations,
  kernelOperations,
  modelOperations,
  settingOperations,
} from '@loom/kernel';
import type { Operation } from '@loom/kernel';
import { tokenOperations } from '@loom/server/access';
import { openApiDocument } from '@loom/server/openapi';
import type { Finding } from './finding.ts';
import { renderOperations } from './operations-reference.ts';
import { readText } from './repository.ts';

/** The files of the reference, and what makes them. */
const files: Readonly<Record<string, (operations: readonly Operation[]) => string>> = {
  'docs/reference/operations.md': renderOperations,
  'docs/reference/openapi.json': (operations) => `${JSON.stringify(openApiDocument(operations), undefined, 2)}\n`,
};

/** Compares the reference of operations with the table that it is made from. */
export function checkReference(root: string): Finding[] {
  if (!existsSync(join(root, 'packages/kernel/src/operations'))) return [];
  return outdated(root).map(([file]) => ({
    file,
    message: 'it is not what the table of operations says: npm run reference',
  }));
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
    .map(([file, render]): [string, string] => [file, render(allOperations)])
    .filter(([file, text]) => !existsSync(join(root, file)) || readText(root, file) !== text);
}

function notRun(): Promise<never> {
  return Promise.reject(new Error('a row that is described is not run'));
}

/** The whole table, without what it works on: a row is described without being run. */
const allOperations: readonly Operation[] = [
  ...kernelOperations,
  ...modelOperations({ models: notRun, providers: notRun, presets: notRun, check: notRun, setKey: notRun }),
  ...settingOperations({ list: notRun, set: notRun, unset: notRun }),
  ...dataOperations({ sizes: notRun }),
  ...exportOperations({ create: notRun }),
  ...importOperations({
    discover: notRun,
    prepare: notRun,
    follow: notRun,
    isFollowing: () => false,
    remarks: () => [],
  }),
  ...tokenOperations(notRun),
];
