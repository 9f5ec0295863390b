import type { FilesPort } from '../../disk/files-port.ts';
import { readPlace } from '../log/record-line.ts';
import { readText, sealLine, unsealLine } from '../sealed-line.ts';

/** Makes a store that acknowledges writes it has not synced. */
export function skipSyncs(files: FilesPort): FilesPort {
  return {
    ...files,
    async open(path, how) {
      return { ...(await files.open(path, how)), sync: () => Promise.resolve() };
    },
  };
}

/** A store that tries a failed sync again, which succeeds and proves nothing. */
export function retrySyncs(files: FilesPort): FilesPort {
  return {
    ...files,
    async open(path, how) {
      const file = await files.open(path, how);
      return { ...file, sync: () => file.sync().catch(() => file.sync()) };
    },
  };
}

/** A store that notes a write as acknowledged before it is on the disk. */
export function noteBeforeSync(files: FilesPort): FilesPort {
  const due = new Map<string, () => Promise<void>>();
  return {
    ...files,
    async open(path, how) {
      const file = await files.open(path, how);
      if (path.endsWith('.acknowledged')) {
        const sync = due.get(path) ?? (() => Promise.resolve());
        due.delete(path);
        return { ...file, close: () => file.close().then(sync) };
      }
      let isWritten = false;
      return {
        ...file,
        write: (bytes, position) => ((isWritten = true), file.write(bytes, position)),
        async sync() {
          if (path.endsWith('log.jsonl') && isWritten) due.set(`${path}.acknowledged`, () => file.sync());
          else await file.sync();
        },
      };
    },
  };
}

/** A store that takes a name for durable without its directory. */
export function skipDirectorySyncs(files: FilesPort): FilesPort {
  return { ...files, syncDirectory: () => Promise.resolve() };
}

/** A store that takes every whole line for a record, though the write that it was a part of is not all there. */
export function acceptTornWrites(files: FilesPort): FilesPort {
  return {
    ...files,
    async read(path, from, to) {
      const bytes = await files.read(path, from, to);
      if (!path.endsWith('log.jsonl')) return bytes;
      return Buffer.concat(splitLines(bytes).map(forgetWrite));
    },
  };
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let position = 0; position < bytes.length;) {
    const end = bytes.indexOf(0x0a, position) + 1 || bytes.length;
    lines.push(bytes.subarray(position, end));
    position = end;
  }
  return lines;
}

function forgetWrite(line: Uint8Array): Uint8Array {
  const place = readPlace(line.subarray(0, -1));
  const body = unsealLine(line.subarray(0, -1));
  if (place === undefined || body === undefined) return line;
  const alone = readText(body).replace(/"write":\[\d+,\d+\]/u, `"write":[${place.first},${place.seq}]`);
  const changed = new TextEncoder().encode(sealLine(alone));
  // With another number of digits the positions in the file would be wrong, which is another fault.
  return changed.length === line.length ? changed : line;
}
