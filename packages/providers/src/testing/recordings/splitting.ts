/** The bytes in pieces of one byte each. */
export function byteByByte(bytes: Uint8Array): Iterable<Uint8Array> {
  return pieceByPiece(bytes, () => 1);
}

/** Yields the bytes in pieces of the given sizes. */
export function* pieceByPiece(bytes: Uint8Array, nextSize: () => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const end = at + nextSize();
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** The bytes in two pieces. */
export function splitAt(bytes: Uint8Array, at: number): Uint8Array[] {
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

/** Changes that a server may make to a stream of events without changing its meaning. */
export const disguises: Readonly<Record<string, (body: string) => string>> = {
  'signs of life': (body) => `: hello\n\n${body.replaceAll(/(?<=\n\r?\n)/g, ': ping\n\n')}`,
  'no space behind the colon': (body) => body.replaceAll(/^data: /gm, 'data:'),
  'other line ends': (body) => body.replaceAll(/\r?\n/g, '\r\n'),
  'a byte order mark': (body) => `\uFEFF${body}`,
};

/** Applies all of them at once. */
export function disguise(body: string): string {
  return Object.values(disguises).reduce((changed, change) => change(changed), body);
}
