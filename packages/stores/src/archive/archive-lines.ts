import { ArchiveError, damaged, tooLarge } from './archive-error.ts';
import { anyHeader, archiveFormat, archiveLine, longestLine } from './archive-line.ts';
import type { ArchiveHeader, ArchiveLine } from './archive-line.ts';

/** Bytes, cut into lines without their line breaks. Refuses a line that is too long before it is read whole. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      yield decode([...parts, chunk.subarray(start, end)], true);
      [parts, size, start] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > longestLine) throw tooLarge(`a line of more than ${longestLine} bytes`);
  }
  // Without a line break it may be cut, even inside of a character.
  if (size > 0) yield decode(parts, false);
}

const lineFeed = 10;

function decode(parts: readonly Uint8Array[], fatal: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch (error) {
    throw damaged('it is not UTF-8 text', { cause: error });
  }
}

/** Reads the first line. */
export function parseHeader(text: string | undefined): ArchiveHeader {
  if (text === undefined || text === '') throw cut();
  const value = parseJson(text);
  const { success, data } = anyHeader.safeParse(value);
  if (!success) {
    throw new ArchiveError(
      'archive-foreign',
      'this is not an archive of a Loom store',
      'Name a file that an export of a store or a backup has written.',
    );
  }
  if (data.format > archiveFormat) {
    throw new ArchiveError(
      'archive-newer',
      `the archive has format ${data.format}; this version of Loom knows formats up to ${archiveFormat}`,
      'Use a newer version of Loom for it. Nothing was changed.',
    );
  }
  const line = parseLine(text, 1);
  if (line.type !== 'archive') throw damaged('its first line is not the header of an archive');
  return line;
}

export function parseLine(text: string, number: number): ArchiveLine {
  const parsed = archiveLine.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw damaged(`line ${number} is not one that Loom writes`, { cause: parsed.error });
}

export function cut(): ArchiveError {
  return new ArchiveError(
    'archive-cut',
    'the archive ends too early',
    'It was not written or copied to its end. Copy it again, or use an earlier archive.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
