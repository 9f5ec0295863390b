import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createZstdDecompress } from 'node:zlib';
import { LineSplitter } from '../foreign/line-splitter.ts';

const chunkSize = 256 * 1024;
const leastChunk = 4096;

/** The largest growth on decompression, as a ratio and in bytes: more is an attack. */
const mostTimes = 100;
const mostBytes = 1024 ** 3;

/**
 * Yields the bytes of a file from an offset on, in chunks that are valid until the next one is requested: they share one buffer, so that long files
 * leave no garbage. A compressed file (`.zst`) is decompressed from its beginning, and the bytes before the offset are left out.
 */
export async function* bytesOf(path: string, start = 0): AsyncGenerator<Uint8Array> {
  if (!path.endsWith('.zst')) {
    yield* plainChunks(path, start);
    return;
  }
  const packed = createReadStream(path, { highWaterMark: chunkSize });
  const stream = packed.pipe(createZstdDecompress());
  // Only the end of the pipe is read; this tells it that the file failed.
  packed.on('error', (error) => stream.destroy(error));
  let bytes = 0;
  for await (const chunk of chunksOf(stream)) {
    const before = bytes;
    bytes += chunk.length;
    if (bytes > mostBytes || bytes > (packed.bytesRead + chunkSize) * mostTimes) throw new PackedFileError();
    if (bytes > start) yield chunk.subarray(Math.max(0, start - before));
  }
}

async function* plainChunks(path: string, start: number): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.min(chunkSize, Math.max(size - start, leastChunk)));
    for (let at = start; ;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** A compressed file unpacks to more than the limit. */
class PackedFileError extends Error {
  readonly code = 'file-too-large';

  constructor() {
    super('it unpacks to more than is read; nothing more of it was taken in');
  }
}

async function* chunksOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
}

/** Hands every line of a file to a reader of lines. */
export async function readLines(path: string, push: (line: string) => void): Promise<void> {
  const splitter = new LineSplitter({ line: push, tooLong: () => {} });
  for await (const chunk of bytesOf(path)) splitter.push(chunk);
  splitter.end();
}
