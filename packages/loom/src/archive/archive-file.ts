import { createReadStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { splitLines } from '@loom/stores/archive';
import { exchangeFile, sweepTemporaries, temporaryName, writeFully } from '@loom/stores/disk';
import { InterruptedError, LoomError, UsageError } from '../command-line/failure.ts';
import { errorCode, type Disk, type OpenFile } from '@loom/data-folder/files';
import type { Input, Terminal } from '../terminal/terminal.ts';

/** The lines of an archive in a file; - is standard input. */
export function readLines(file: string, { input }: Terminal): AsyncIterable<string> {
  return splitLines(file === '-' ? bytesOf(input) : createReadStream(file, { highWaterMark: chunkSize }));
}

/** Returns true if an archive goes to standard output. Refuses a screen there, and a report in JSON: both are meant for a person. */
export function goesToOutput(file: string, { screen }: Terminal, isJson: boolean): boolean {
  if (file !== '-') return false;
  if (isJson) {
    throw new UsageError('json-twice', 'what goes to standard output is JSON already', { advice: 'Leave out --json.' });
  }
  if (screen.isOut) {
    throw new UsageError('to-screen', 'standard output is a terminal', {
      advice: 'Name a file, or pipe the output: … - | gzip > loom.jsonl.gz',
    });
  }
  return true;
}

/** Passes lines on while they are written to standard output; `progress` is called with how many bytes there are so far. */
export async function* throughOutput(
  lines: AsyncIterable<string>,
  terminal: Terminal,
  progress: (bytes: number) => void,
): AsyncGenerator<string, void, void> {
  let size = 0;
  for await (const chunk of inChunks(lines)) {
    terminal.out(chunk);
    await terminal.drained?.();
    size += Buffer.byteLength(chunk);
    progress(size);
    yield* chunk.split('\n').slice(0, -1);
  }
}

export interface ArchiveWriting {
  disk: Disk;
  path: string;
  lines: AsyncIterable<string>;
  terminal: Terminal;
  /** Called with the number of bytes so far. */
  progress: (bytes: number) => void;
  /**
   * Checks the written file before it gets its name; if this throws, the file is gone. Calls `goOn` now and then, which throws once the
   * person wants to stop.
   */
  verify?: (path: string, goOn: () => void) => Promise<void>;
}

/**
 * Writes an archive into a file that must not be there yet: it appears when it is complete and on the disk, or not at all. Returns its size
 * in bytes.
 */
export async function writeArchive(writing: ArchiveWriting): Promise<number> {
  const { disk, terminal, verify } = writing;
  const path = resolve(writing.path);
  await refuseMissing(disk, dirname(path));
  await refusePresent(disk, path);
  // Failing to remove leftovers there must not stop the export.
  await sweepTemporaries(dirname(path)).catch(() => undefined);
  const temporary = temporaryName(path);
  const file = await disk.create(temporary);
  let isInterrupted = false;
  const goOn = (): void => {
    if (isInterrupted) throw new InterruptedError();
  };
  const stop = terminal.onInterrupt(() => (isInterrupted = true));
  let size = 0;
  try {
    await exchangeFile(disk, { path, temporary }, async () => {
      size = await writeLines(file, writing, goOn);
      await verify?.(temporary, goOn);
      goOn();
      await refusePresent(disk, path);
      return true;
    });
    return size;
  } finally {
    stop();
  }
}

async function writeLines(file: OpenFile, { lines, progress }: ArchiveWriting, goOn: () => void): Promise<number> {
  let size = 0;
  try {
    for await (const chunk of inChunks(lines)) {
      goOn();
      const bytes = Buffer.from(chunk);
      await writeFully(file, bytes, size);
      size += bytes.length;
      progress(size);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return size;
}

/** Lines with their line breaks, many in one text. */
async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let parts: string[] = [];
  let length = 0;
  for await (const line of lines) {
    parts.push(line, '\n');
    length += line.length + 1;
    if (length < chunkSize) continue;
    yield parts.join('');
    [parts, length] = [[], 0];
  }
  if (length > 0) yield parts.join('');
}

const chunkSize = 256 * 1024;

async function refuseMissing(disk: Disk, folder: string): Promise<void> {
  await disk.status(folder).catch((cause: unknown) => {
    if (errorCode(cause) !== 'ENOENT') throw cause;
    throw new LoomError('no-folder', `there is no folder ${folder}`, { advice: 'Make it first.', cause });
  });
}

/** An earlier backup is not lost to a name that was used before. */
async function refusePresent(disk: Disk, path: string): Promise<void> {
  try {
    await disk.status(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  throw new LoomError('file-exists', `${path} already exists`, {
    advice: 'Choose another name, or move the file away.',
  });
}

async function* bytesOf(input: Input): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of input) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
