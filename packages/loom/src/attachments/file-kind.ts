/** The kind of a file, by its first bytes; its name proves nothing. */
export type FileKind = { type: 'media'; mediaType: string } | { type: 'text'; text: string } | { type: 'unknown' };

export function kindOfFile(bytes: Uint8Array): FileKind {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const media = signatures.find(([isMeant]) => isMeant(head));
  if (media !== undefined) return { type: 'media', mediaType: media[1] };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { type: 'unknown' } : { type: 'text', text };
  } catch {
    return { type: 'unknown' };
  }
}

// The types that all vendors take.
const signatures: readonly (readonly [isMeant: (head: string) => boolean, mediaType: string])[] = [
  [(head) => head.startsWith('\x89PNG\r\n\x1A\n'), 'image/png'],
  [(head) => head.startsWith('\xFF\xD8\xFF'), 'image/jpeg'],
  [(head) => /^GIF8[79]a/.test(head), 'image/gif'],
  [(head) => head.startsWith('RIFF') && head.startsWith('WEBP', 8), 'image/webp'],
  [(head) => head.startsWith('%PDF-'), 'application/pdf'],
];
