import type { PlainObject } from '@loom/blocks';
import type { Tally } from './foreign.ts';
import { readJsonLine } from './json-line.ts';

/** Reads the objects of a line and counts the line: as used, as raw under the unknown kind that `read` returns, or as reported. */
export function readCountedLine(line: string, tally: Tally, read: (object: PlainObject) => string | undefined): void {
  const found = readJsonLine(line);
  switch (found.kind) {
    case 'objects': {
      if (found.isGlued) tally.remark('Lines that had run together were parted.');
      const unknown = found.objects.map(read).find((kind) => kind !== undefined);
      return unknown === undefined ? tally.used() : tally.raw(unknown);
    }
    case 'blank':
      return tally.used();
    case 'value':
      return tally.reported('A line holds no object.');
    case 'deep':
      return tally.reported('A line is nested too deep to be read.');
    case 'broken':
      if (!line.startsWith('#')) return tally.reported(found.isCut ? 'A line was cut off.' : 'A line is not JSON.');
      tally.remark('A line is a comment.');
      return tally.used();
  }
}

/** Returns the objects of the first lines of a file; the last line may be cut off and is skipped. */
export function firstObjects(beginning: string): PlainObject[] {
  const objects: PlainObject[] = [];
  for (const line of beginning.split('\n', mostLines)) {
    const read = readJsonLine(line);
    if (read.kind === 'objects') objects.push(...read.objects);
  }
  return objects;
}

const mostLines = 20;
