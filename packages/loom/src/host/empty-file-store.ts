import { join } from 'node:path';
import { readIfThere, replaceFile, type Disk } from '@loom/data-folder/files';
import type { RecordStore } from '@loom/exchange/importing';

/** The name of the record in the data folder: files of other programs that hold nothing to import. Without it they are read once more. */
const emptyFileRecord = 'empty-imports.json';

export function emptyFileStore(disk: Disk, dataDir: string): RecordStore {
  const path = join(dataDir, emptyFileRecord);
  return {
    async read() {
      const content = await readIfThere(disk, path);
      if (content === undefined) return undefined;
      try {
        const value: unknown = JSON.parse(new TextDecoder().decode(content));
        return value;
      } catch {
        return undefined;
      }
    },
    async write(value) {
      const content = new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`);
      // If another process has written at the same moment, its record is as good as this one.
      await replaceFile(disk, { path, content, expected: await readIfThere(disk, path), mode: 0o600 });
    },
  };
}
