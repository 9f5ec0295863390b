/** Bytes as they stand in a log or a frame, both of which are JSON. */
export function toBase64(bytes: Uint8Array): string {
  return bytes.toBase64();
}

/** Throws a `SyntaxError` for anything that is not base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.fromBase64(text);
}
