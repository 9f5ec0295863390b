import type { Loom } from '../app/loom.ts';
import { attachFiles } from '../composer/attaching/attaching.ts';
import { mayBeHistory } from './imports.ts';

/** Handles dropped files: on the message field all are attached; elsewhere possible exports are imported, and the rest attached. */
export async function dropFiles(
  loom: Loom,
  files: readonly File[],
  { isOnComposer }: { isOnComposer: boolean },
): Promise<void> {
  const histories = isOnComposer ? [] : files.filter(mayBeHistory);
  const others = files.filter((file) => !histories.includes(file));
  if (others.length > 0 && document.getElementById('composer') === null) {
    throw new Error(
      `This is no export that Loom can read: ${others.map(({ name }) => name).join(', ')}. To attach files, open a conversation first.`,
    );
  }
  if (others.length > 0) await attachFiles(loom, others);
  if (histories.length > 0) await loom.imports.startFiles(histories);
}
