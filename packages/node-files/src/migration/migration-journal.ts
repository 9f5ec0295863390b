import { join } from 'node:path';
import { failedWith, writeDurably } from '@loom/stores/disk';
import type { FilesPort } from '@loom/stores/disk';
import { z } from 'zod';

const journalShape = z.strictObject({
  format: z.literal(1),
  /** `copy`: nothing in the directory has been touched. `swap`: everything is verified, and files are being replaced. */
  phase: z.enum(['copy', 'swap']),
  backup: z.string(),
  staging: z.string(),
  /** The replaced files: the path below the directory, and the SHA-256 before (none: '') and after. */
  files: z.array(z.strictObject({ path: z.string(), before: z.string(), after: z.string() })),
});

/** The progress of a migration, for the process that has to continue it. */
export type MigrationJournal = z.infer<typeof journalShape>;

/** The file with the progress of a migration. */
export const journalName = 'loom.migration.json';

/** Reads the journal of a migration that was begun and has not ended. An unreadable one counts as not begun. */
export async function readJournal(files: FilesPort, directory: string): Promise<MigrationJournal | undefined> {
  try {
    const text = new TextDecoder().decode(await files.read(join(directory, journalName)));
    return journalShape.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (failedWith(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function writeJournal(files: FilesPort, directory: string, journal: MigrationJournal): Promise<void> {
  const path = join(directory, journalName);
  const bytes = Buffer.from(JSON.stringify(journal, undefined, 2));
  await writeDurably(files, { path, bytes });
}

export async function removeJournal(files: FilesPort, directory: string): Promise<void> {
  await removeIfThere(files, join(directory, journalName));
  await files.syncDirectory(directory);
}

export async function removeIfThere(files: FilesPort, path: string): Promise<void> {
  await files.remove(path).catch((error: unknown) => {
    if (!failedWith(error, 'ENOENT')) throw error;
  });
}
