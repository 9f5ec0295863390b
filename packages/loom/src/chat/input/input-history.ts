import { join } from 'node:path';
import { readIfThere, replaceFile, type Disk } from '@loom/data-folder/files';
import type { LineHistory } from '../../terminal/terminal.ts';

/** The name of the file in the data folder. */
export const inputHistoryFile = 'chat-history';

/** The number of lines kept, and the longest one: a book that was pasted is not typed again. */
const [mostLines, longest] = [500, 10_000];

/**
 * Opens the lines that were typed in chats, kept in the data folder for the next one, readable by its owner alone. A history that cannot be
 * read or written must not stop a chat: then there is none.
 */
export async function openInputHistory(
  disk: Disk,
  dataDir: string,
): Promise<LineHistory & { saved: () => Promise<void> }> {
  const path = join(dataDir, inputHistoryFile);
  const present = await readIfThere(disk, path).catch(() => undefined);
  // Another chat may have written meanwhile; the last one that is used counts.
  const save = async (before: Promise<void>, content: Uint8Array): Promise<void> => {
    await before;
    try {
      await replaceFile(disk, { path, content, expected: await readIfThere(disk, path), mode: 0o600 });
    } catch {
      // The chat goes on without.
    }
  };
  let saving = Promise.resolve();
  return {
    size: mostLines,
    lines: linesOf(present),
    keep: (lines) => {
      const kept = lines.filter(({ length }) => length <= longest).slice(0, mostLines);
      const content = new TextEncoder().encode(
        [...kept]
          .reverse()
          .map((line) => `${line}\n`)
          .join(''),
      );
      saving = save(saving, content);
    },
    saved: () => saving,
  };
}

/** The newest first. */
function linesOf(content: Uint8Array | undefined): string[] {
  const lines = new TextDecoder().decode(content).split('\n');
  return lines
    .filter((line) => line !== '')
    .reverse()
    .slice(0, mostLines);
}
