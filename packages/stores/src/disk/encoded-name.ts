/** A text as a part of a file's name: everything but letters, digits, `_` and `-` is written as `%` and hex. */
export function encodeName(text: string): string {
  return Array.from(encoder.encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/u.test(character) ? character : percent(byte);
  }).join('');
}

/** The text that was encoded; something else encoded differently if there is none. */
export function decodeName(name: string): string {
  const bytes = name.split(/(%[0-9A-F]{2})/u).flatMap((part, index) => {
    return index % 2 === 1 ? [Number.parseInt(part.slice(1), 16)] : [...encoder.encode(part)];
  });
  return decoder.decode(Uint8Array.from(bytes));
}

/** A byte in the encoded form. */
export function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** File systems end at 255 bytes, and a name has room to have more put to it. */
export const longestName = 200;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
