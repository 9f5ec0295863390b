import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kernelOperations } from '@loom/kernel';
import type { Finding } from './finding.ts';
import { renderOperations } from './operations-reference.ts';
import { readText } from './repository.ts';

const file = 'docs/reference/operations.md';

/** Compares the reference of operations with the table that it is made from. */
export function checkReference(root: string): Finding[] {
  const isHere = existsSync(join(root, 'packages/kernel/src/operations'));
  if (!isHere || written(root) === renderOperations(kernelOperations)) return [];
  return [{ file, message: 'it is not what the table of operations says: npm run reference' }];
}

/** Writes the reference; returns the files that changed. */
export function writeReference(root: string): string[] {
  const text = renderOperations(kernelOperations);
  if (written(root) === text) return [];
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  return [file];
}

function written(root: string): string {
  return existsSync(join(root, file)) ? readText(root, file) : '';
}
