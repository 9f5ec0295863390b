import { encodeBasicString } from './key.ts';

/** The values Loom writes into a TOML file: no dates, no tables. */
export type Literal = string | number | boolean | readonly string[];

/** Writes a value as TOML; with `spread`, a text of several lines takes several lines. */
export function encodeLiteral(value: Literal, spread = false): string {
  if (typeof value === 'string') return spread && value.includes('\n') ? encodeLines(value) : encodeBasicString(value);
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'boolean') return String(value);
  return `[${value.map((item) => encodeBasicString(item)).join(', ')}]`;
}

/** Returns true if a text may be spread over lines: in a file with Windows line endings it would either mix endings or change its meaning. */
export function maySpread(document: string): boolean {
  return !document.includes('\r\n');
}

function encodeNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  const digits = String(value);
  // An integer beyond 2^53 would be read as an exact one, which a JavaScript number is not; 1e21 is a float as it stands.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !digits.includes('e') ? `${digits}.0` : digits;
}

/** The first line break directly behind the opening quotes is not part of the text. */
function encodeLines(value: string): string {
  const lines = value.split('\n').map((line) => encodeBasicString(line).slice(1, -1));
  // Single quotation marks may stand as they are, which keeps prose readable; three in a row would close the text.
  const body = lines
    .join('\n')
    .replaceAll(String.raw`\"`, '"')
    .replaceAll(/"(?="")|"$/g, String.raw`\"`);
  return `"""\n${body}"""`;
}
