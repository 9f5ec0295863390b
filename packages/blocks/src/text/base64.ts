// Uint8Array has methods for this only from Node 25 on, and Loom runs on Node 22. Buffer is not in browsers, and btoa takes
// strings of one character a byte, which costs more than the work itself.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const codes = new TextEncoder().encode(alphabet);
const padding = '='.charCodeAt(0);

/** The value of each character, 64 for those that are not in the alphabet. */
const values = new Uint8Array(256).fill(64);
for (const [value, code] of codes.entries()) values[code] = value;

/** Encodes bytes in base64, with padding. */
export function toBase64(bytes: Uint8Array): string {
  const encoded = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    encoded[to] = codes[group >> 18] ?? 0;
    encoded[to + 1] = codes[(group >> 12) & 63] ?? 0;
    if (left > 1) encoded[to + 2] = codes[(group >> 6) & 63] ?? 0;
    if (left > 2) encoded[to + 3] = codes[group & 63] ?? 0;
    to += 4;
  }
  return new TextDecoder().decode(encoded);
}

/** Decodes base64, with or without padding, white space aside. Throws a `SyntaxError` if the text is anything else. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(text.replace(/[\t\n\f\r ]+/gu, ''));
  const paddings = encoded.length % 4 !== 0 || encoded.at(-1) !== padding ? 0 : encoded.at(-2) === padding ? 2 : 1;
  const length = encoded.length - paddings;
  if (length % 4 === 1) throw new SyntaxError('this is not base64: a character is missing');
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let invalid = 0;
  let to = 0;
  for (let at = 0; at < length; at += 4) {
    const a = values[encoded[at] ?? 0] ?? 64;
    const b = values[encoded[at + 1] ?? 0] ?? 64;
    const c = at + 2 < length ? (values[encoded[at + 2] ?? 0] ?? 64) : 0;
    const d = at + 3 < length ? (values[encoded[at + 3] ?? 0] ?? 64) : 0;
    invalid |= a | b | c | d;
    // Writes behind the end of an array are ignored.
    bytes[to] = (a << 2) | (b >> 4);
    bytes[to + 1] = (b << 4) | (c >> 2);
    bytes[to + 2] = (c << 6) | d;
    to += 3;
  }
  if (invalid > 63) throw new SyntaxError('this is not base64: it has characters that base64 does not use');
  return bytes;
}
