/** The bytes in pieces of one byte each. */
export function byteByByte(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1));
}

/** The bytes in two pieces. */
export function splitAt(bytes: Uint8Array, at: number): Uint8Array[] {
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

/** What a server may do to a stream of events without changing what it says. */
export const disguises: Readonly<Record<string, (body: string) => string>> = {
  'other line ends': (body) => body.replaceAll(/\r?\n/g, '\r\n'),
  'a byte order mark': (body) => `\uFEFF${body}`,
  'signs of life': (body) => `: hello\n\n${body.replaceAll(/(?<=\n\r?\n)/g, ': ping\n\n')}`,
  'no space behind the colon': (body) => body.replaceAll(/^data: /gm, 'data:'),
};

/** The first whole events of a stream that have at least so many bytes together. */
export function headOf(body: string, bytes: number): string {
  const head = /^(?:[\s\S]*?\n\r?\n)/;
  let end = 0;
  while (end < bytes) {
    const event = head.exec(body.slice(end));
    if (event === null) return body;
    end += event[0].length;
  }
  return body.slice(0, end);
}
