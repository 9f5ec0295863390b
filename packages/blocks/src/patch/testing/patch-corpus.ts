import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const triple = z.object({
  id: z.string(),
  classes: z.array(z.string()),
  hunks: z.int(),
  before: z.string().nullable(),
  patch: z.string(),
  after: z.string().nullable(),
});

const drifted = z.object({
  id: z.string(),
  expect: z.enum(['clean', 'offset', 'fuzz', 'reject', 'partial-reject', 'already-applied']),
  before: z.string(),
  patch: z.string(),
  after_gnu_patch: z.string().nullable(),
});

/** A text, or nothing; a binary file is nothing to us. */
const text = z.string().nullable().catch(null);

const mail = z.object({
  id: z.string(),
  mail: z.string(),
  files: z.array(z.object({ before: text, after: text })),
});

/** Texts before and after a commit, and git's diff between them. */
export const readTriples = (directory: string) => readRows(directory, 'triples', triple);

/** Diffs put onto another revision of their file, and what GNU patch made of that. */
export const readDrifted = (directory: string) => readRows(directory, 'drifted', drifted);

/** Mails of `git format-patch` with several files. */
export const readMails = (directory: string) => readRows(directory, 'format-patch', mail);

function readRows<T>(directory: string, name: string, row: z.ZodType<T>): T[] {
  const lines = readFileSync(join(directory, `${name}.jsonl`), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => row.parse(JSON.parse(line)));
}
