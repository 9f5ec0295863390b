import { fromBase64 } from '@loom/blocks';
import type { ImageBlock, Message } from '@loom/blocks';
import type { BlobPort } from '@loom/kernel';

/** Loads the bytes of all blobs that the messages name; missing blobs are left out. */
export async function loadFiles(
  messages: readonly Message[],
  blobs: BlobPort,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type !== 'image' || block.blob === undefined || files.has(block.blob)) continue;
      const bytes = await blobs.get(block.blob);
      if (bytes !== undefined) files.set(block.blob, bytes);
    }
  }
  return files;
}

/** A file in the SDK's form. */
export type FileContent = { type: 'data'; data: Uint8Array } | { type: 'url'; url: URL };

/** Returns the bytes of a block, or an address from which the provider may fetch them; `undefined` if they are gone. */
export function fileContent(
  { blob, url }: ImageBlock,
  files: ReadonlyMap<string, Uint8Array>,
): FileContent | undefined {
  if (blob !== undefined) {
    const data = files.get(blob);
    return data === undefined ? undefined : { type: 'data', data };
  }
  const address = URL.parse(url ?? '');
  if (address?.protocol === 'data:') return readDataUrl(address.href);
  return address?.protocol === 'https:' || address?.protocol === 'http:' ? { type: 'url', url: address } : undefined;
}

function readDataUrl(url: string): FileContent | undefined {
  const comma = url.indexOf(',');
  const isBase64 = url.slice(0, comma).endsWith(';base64');
  try {
    const text = decodeURIComponent(url.slice(comma + 1));
    return { type: 'data', data: isBase64 ? fromBase64(text) : new TextEncoder().encode(text) };
  } catch {
    return undefined;
  }
}
