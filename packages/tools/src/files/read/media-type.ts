/** Returns the type of a picture or PDF file by its first bytes; its name proves nothing. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return signatures.find(
    ([start, more]) => head.startsWith(start) && (more === undefined || head.startsWith(more, 8)),
  )?.[2];
}

const signatures: readonly (readonly [start: string, behind: string | undefined, mediaType: string])[] = [
  ['\x89PNG\r\n\x1A\n', undefined, 'image/png'],
  ['\xFF\xD8\xFF', undefined, 'image/jpeg'],
  ['GIF8', undefined, 'image/gif'],
  ['RIFF', 'WEBP', 'image/webp'],
  ['%PDF-', undefined, 'application/pdf'],
];
