import { temporaryEnd } from '../file-names.ts';
import type { NodeFilesPort } from '../node-files-port.ts';

/** Takes files for written that were not synced. */
export function skipSyncs(files: NodeFilesPort): NodeFilesPort {
  return {
    ...files,
    async open(path, how) {
      return { ...(await files.open(path, how)), sync: () => Promise.resolve() };
    },
  };
}

/** Takes names for durable without their directory. */
export function skipDirectorySyncs(files: NodeFilesPort): NodeFilesPort {
  return { ...files, syncDirectory: () => Promise.resolve() };
}

/** Writes files in place, instead of renaming. */
export function writeInPlace(files: NodeFilesPort): NodeFilesPort {
  const place = (path: string): string => (path.endsWith(temporaryEnd) ? path.slice(0, -temporaryEnd.length) : path);
  return {
    ...files,
    stamp: (path) => files.stamp(place(path)),
    async open(path, how) {
      const target = place(path);
      const isThere = target !== path && (await files.stamp(target)) !== undefined;
      const file = await files.open(target, isThere ? 'change' : how);
      if (isThere) await file.truncate(0);
      return file;
    },
    rename: (from, to) => (place(from) === to ? Promise.resolve() : files.rename(from, to)),
  };
}

/** Replaces a file without looking for others' edits in it. */
export function replaceBlindly(files: NodeFilesPort): NodeFilesPort {
  const own = new Map<string, Uint8Array>();
  return {
    ...files,
    async rename(from, to) {
      own.set(to, await files.read(from));
      await files.rename(from, to);
    },
    read: async (path, from, to) => own.get(path)?.slice(from, to) ?? files.read(path, from, to),
  };
}

/** Takes a failed rename for a success. */
export function ignoreFailures(files: NodeFilesPort): NodeFilesPort {
  return { ...files, rename: (from, to) => files.rename(from, to).catch(() => undefined) };
}
