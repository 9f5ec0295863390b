import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { isJson } from '@loom/blocks';
import { sumOf } from '../file-ledger.ts';
import { describeProblem } from '../problem.ts';
import type { NodeFileCode, NodeFileProblem } from '../problem.ts';

/** The content of a file, or the reason it cannot be read. */
export type JsonReading =
  | { ok: true; value: unknown; stamp: ReadStamp; problems: NodeFileProblem[] }
  | { ok: false; problem: NodeFileProblem };

/** The state of a file when it was read. */
export interface ReadStamp {
  sum: string;
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
}

/** The engine's strings end at half a gigabyte; no message comes near. */
const largestFile = 256 * 1024 * 1024;
/** Writing JSON recurses in the engine; much more than this would overflow its stack. */
const deepestNesting = 1000;

/** Reads a regular file as JSON. Links are not followed, and the result names the problem, whatever the file holds. */
export function readJsonFile(file: string): JsonReading {
  const read = readBytes(file);
  return read.ok ? parseBytes(file, read.bytes, read.mtime) : read;
}

/** The checksum of a regular file; `undefined` if it cannot be read. */
export function sumOfFile(file: string): string | undefined {
  const read = readBytes(file);
  return read.ok ? sumOf(read.bytes) : undefined;
}

function readBytes(
  file: string,
): { ok: true; bytes: Uint8Array; mtime: number } | { ok: false; problem: NodeFileProblem } {
  try {
    // Without blocking: opening a pipe would wait for a writer. The calls are synchronous, because four promises for a small file cost three times as
    // much as reading it; a caller that reads many files lets other work run in between.
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(handle);
      const obstacle = findObstacle(stat, file);
      if (obstacle !== undefined) return { ok: false, problem: obstacle };
      return { ok: true, bytes: readFileSync(handle), mtime: stat.mtimeMs };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    return { ok: false, problem: describeOpening(file, error) };
  }
}

/** Returns true if values are nested so deeply that writing them as JSON would fail. Walks with its own stack. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepestNesting) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const inner of Object.values(item)) next.push(inner);
    }
    level = next;
  }
  return false;
}

export const tooDeep = `is nested deeper than ${deepestNesting} levels; flatten it by hand`;

function findObstacle(stat: Stats, file: string): NodeFileProblem | undefined {
  if (!stat.isFile()) return describeProblem('node-not-a-file', file, 'is not a file; name a node file, not a root');
  if (stat.size <= largestFile) return undefined;
  return describeProblem('node-too-large', file, `has ${stat.size} bytes, more than the ${largestFile} that are read`);
}

function parseBytes(file: string, bytes: Uint8Array, mtime: number): JsonReading {
  const fail = (code: NodeFileCode, message: string): JsonReading => ({
    ok: false,
    problem: describeProblem(code, file, message),
  });
  if (bytes.length === 0) return fail('node-json-invalid', 'is empty; put a backup in its place, or delete it');
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail('node-json-invalid', `is not JSON (${reason}); mend it, or put a backup in its place`);
  }
  if (isTooDeep(value)) return fail('node-too-deep', tooDeep);
  const stamp = { sum: sumOf(bytes), size: bytes.length, mtime };
  if (isJson(value)) return { ok: true, value, stamp, problems: [] };
  // JSON can spell only one thing that it cannot hold, a number beyond a double: kept as it is spelled.
  const kept: unknown = JSON.parse(text, spellOut);
  const message = 'holds numbers that are too large for Loom; they are kept as texts';
  return { ok: true, value: kept, stamp, problems: [describeProblem('number-out-of-range', file, message)] };
}

function spellOut(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? (context?.source ?? String(value)) : value;
}

function describeOpening(file: string, error: unknown): NodeFileProblem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return describeProblem('node-missing', file, 'does not exist');
    case 'ELOOP':
    case 'EISDIR':
    case 'ENXIO':
      return describeProblem('node-not-a-file', file, 'is a link, a folder or a device; only plain files are read');
    default: {
      const reason = error instanceof Error ? error.message : String(error);
      return describeProblem('node-file-unreadable', file, `cannot be read (${reason}); check its permissions`);
    }
  }
}
