import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A file that was sent here. */
interface UploadedFile {
  path: string;
  name: string;
  bytes: number;
  modified: number;
}

/** Files that were sent to this data folder and wait for being imported. */
export interface UploadFolder {
  /** Keeps bytes under a unique name. Half a file is deleted when the bytes end in an error. */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<{ upload: string; bytes: number }>;
  take(upload: string, name: string): Promise<UploadedFile | undefined>;
  discard(upload: string): Promise<void>;
  /** Deletes the files an earlier process has left. */
  clear(): Promise<void>;
}

export function uploadFolder(dataDir: string): UploadFolder {
  const folder = join(dataDir, 'uploads');
  const placeOf = (upload: string): string => join(folder, upload, 'upload');
  return {
    async receive(bytes) {
      const upload = randomUUID();
      try {
        await mkdir(join(folder, upload), { recursive: true, mode: 0o700 });
        const file = await open(placeOf(upload), 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          return { upload, bytes: (await file.stat()).size };
        } finally {
          await file.close();
        }
      } catch (error) {
        // A disk that fails may not let go of the rest either; the next start does. The first failure is the one that counts.
        await this.discard(upload).catch(() => {});
        throw error;
      }
    },
    async take(upload, name) {
      if (!isUpload(upload)) return undefined;
      const path = `${placeOf(upload)}${endingOf(name)}`;
      try {
        await rename(placeOf(upload), path);
        const { size, mtimeMs } = await lstat(path);
        return { path, name: basename(name.replaceAll('\\', '/')), bytes: size, modified: mtimeMs };
      } catch {
        return undefined;
      }
    },
    async discard(upload) {
      if (isUpload(upload)) await rm(join(folder, upload), { recursive: true, force: true });
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

function isUpload(upload: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(upload);
}

/** The only thing that a name from outside decides. */
function endingOf(name: string): string {
  return /(?:\.jsonl\.zst|\.jsonl|\.json|\.zip|\.db)$/u.exec(name.toLowerCase())?.[0] ?? '';
}
