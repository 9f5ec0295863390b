import { accessSync, constants, statSync } from 'node:fs';
import { StoreError } from '@loom/kernel';
import type { Store } from '@loom/kernel';
import { findChangedFiles, NodeFileError } from '@loom/node-files';
import { count } from '../progress.ts';
import { findStore, FolderError } from '@loom/data-folder';

export interface EditsAtHand {
  dataDir: string;
  /** The logs, to look at. */
  store: Store;
  root: string;
  note: (text: string) => void;
}

/**
 * A reader of a root sees what people have written into its files: if there is anything, `takeIn` is run, which writes.
 * Not where nothing may be written, nor where a writer is at work, which takes edits in by itself. Answers whether the log may
 * have changed.
 */
export async function takeInEdits(
  { dataDir, store, root, note }: EditsAtHand,
  takeIn: () => Promise<void>,
): Promise<boolean> {
  // Without logs the files themselves are shown.
  if ((await findStore(dataDir)) === undefined) return false;
  const changed = await findChangedFiles(store, dataDir, root, Date.now()).catch((error: unknown) => {
    // What is wrong with its log is told by the caller that opens it.
    if (error instanceof StoreError) return undefined;
    const message = error instanceof Error ? error.message : String(error);
    note(`The files of ${root} could not be looked at: ${message}. This is what the log says.\n`);
    return undefined;
  });
  const { files = [], unreadable = [], failures = [], isYoung = false, isOlder = false } = changed ?? {};
  for (const failure of failures) {
    note(
      `A file of ${root} was changed and may not be read: ${failure}. Check its permissions; this is what the log says.\n`,
    );
  }
  if (unreadable.length > 0) {
    // Half a file that is put aside would be torn from the editor that is writing it.
    if (!isYoung) note(`${describe(unreadable)} written, but not as valid JSON: this is what the log says.\n`);
    return false;
  }
  if (files.length === 0) return false;
  if (isOlder) {
    note(`${describe(files)} changed and not taken in yet: the next command that writes to ${root} does.\n`);
    return false;
  }
  if (!isWritable(dataDir)) {
    note(`${describe(files)} changed and not taken in: ${dataDir} cannot be written to. This is what the log says.\n`);
    return false;
  }
  try {
    await takeIn();
  } catch (error) {
    if (!(error instanceof FolderError || error instanceof StoreError || error instanceof NodeFileError)) throw error;
    // The process that writes takes edits in, and may have done so by now. Any other failure is no reason not to show what there is.
    if (error.code !== 'locked') note(`${describe(files)} changed and could not be taken in: ${error.message}\n`);
  }
  return true;
}

function describe([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `${first} was` : `${first} and ${count(others.length, 'more file')} were`;
}

/** Whether the owner of a folder allows writing there, and the system allows it to this process. */
function isWritable(folder: string): boolean {
  // What may be done and what is meant are two things for root.
  if ((statSync(folder).mode & 0o222) === 0) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
