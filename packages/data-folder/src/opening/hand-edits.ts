import { accessSync, constants, statSync } from 'node:fs';
import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { findChangedFiles, NodeFileError } from '@loom/node-files';
import { FolderError } from '../folder-error.ts';
import type { EditsNotTaken, TellFolderNews } from '../folder-news.ts';
import { findStore } from './data-store.ts';

export interface EditsAtHand {
  dataDir: string;
  /** The logs, to look at. */
  store: Store;
  root: string;
  news: TellFolderNews;
}

/**
 * Lets a reader of a root see edits of its files: if it finds any, it runs `takeIn`, which writes. It does not if nothing may be written, or if a
 * writer is at work, which merges edits anyway. Returns true if the log may have changed.
 */
export async function takeInEdits(
  { dataDir, store, root, news }: EditsAtHand,
  takeIn: () => Promise<void>,
): Promise<boolean> {
  // Without logs the files themselves are shown.
  if ((await findStore(dataDir)) === undefined) return false;
  const changed = await findChangedFiles(store, dataDir, root, Date.now()).catch((error: unknown) => {
    // Problems with its log are reported by the caller that opens it.
    if (error instanceof StoreError) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    news({ type: 'files-not-examined', root, why });
    return undefined;
  });
  const { files = [], edited = [], unreadable = [], failures = [], isYoung = false, isOlder = false } = changed ?? {};
  const tell = (told: readonly string[], why: EditsNotTaken): void =>
    news({ type: 'edits-not-taken', root, files: told, why });
  for (const message of failures) tell([], { reason: 'denied', message });
  if (unreadable.length > 0) {
    // Quarantining half a file would tear it from the editor that is writing it.
    if (!isYoung) tell(unreadable, { reason: 'unreadable' });
    return false;
  }
  if (files.length === 0) return false;
  if (isOlder) {
    tell(files, { reason: 'older' });
    return false;
  }
  if (!isWritable(dataDir)) {
    if (edited.length > 0) tell(edited, { reason: 'not-writable', folder: dataDir });
    return false;
  }
  try {
    await takeIn();
  } catch (error) {
    if (!(error instanceof FolderError || error instanceof StoreError || error instanceof NodeFileError)) throw error;
    // The process that writes merges edits, and may have done so by now. After any other failure the present state is shown all the same.
    if (error.code !== 'locked') tell(files, { reason: 'failed', message: error.message });
  }
  return true;
}

/** Returns true if the owner of a folder allows writing there, and the system allows it to this process. */
function isWritable(folder: string): boolean {
  // Root may write anywhere, so the mode shows the owner's intent.
  if ((statSync(folder).mode & 0o222) === 0) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
