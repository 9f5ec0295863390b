import { StoreError } from '@loom/kernel/store';
import type { FilesPort } from '../disk/files-port.ts';

/** Refuses a link: files behind it are not Loom's to read or write. */
export function refuseLink(files: FilesPort, directory: string): void {
  if (files.isLink?.(directory) !== true) return;
  const message = `${directory} is a link, and links are not followed`;
  throw new StoreError('store-corrupt', message, 'Put a real folder with its blobs in its place.');
}
