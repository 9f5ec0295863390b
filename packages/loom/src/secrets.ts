/** Environment variables that hold a provider's key, and whose. They win over `apiKey` in files. */
export const KEY_VARIABLES: readonly { variable: string; provider: string }[] = [
  { variable: 'OPENAI_API_KEY', provider: 'openai' },
  { variable: 'ANTHROPIC_API_KEY', provider: 'anthropic' },
  { variable: 'GOOGLE_API_KEY', provider: 'google' },
  { variable: 'OPENROUTER_API_KEY', provider: 'openrouter' },
];

/** A secret as it may be shown: enough to tell two keys apart, too little to use one. */
export function maskSecret(secret: string): string {
  return secret.length < 16 ? '…' : `${secret.slice(0, 3)}…${secret.slice(-4)}`;
}

/** Masks the given secrets, and whatever has the shape of a well-known provider's key, wherever they stand in a text. */
export function redact(text: string, secrets: Iterable<string>): string {
  let result = text;
  // Longer ones first: a secret may be part of another.
  for (const secret of [...secrets].sort((left, right) => right.length - left.length)) {
    // Replacing very short values would garble the text and protect nothing.
    if (secret.length >= 6) result = result.replaceAll(secret, maskSecret(secret));
  }
  return result.replaceAll(KEY_SHAPES, (found) => maskSecret(found));
}

/** The provider keys among environment variables. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return KEY_VARIABLES.map(({ variable }) => env[variable]?.trim() ?? '').filter((value) => value !== '');
}

/**
 * Blots out what may be a secret in lines of a configuration file that cannot be parsed, character by character, so that
 * columns stay where they are.
 */
export function blotLines(lines: readonly string[]): string[] {
  return lines.map((line) => {
    const named = /^\s*\[/.test(line) ? null : SECRET_NAMES.exec(line);
    if (named === null) return line.replaceAll(LONG_TOKENS, blot);
    const separator = line.slice(named.index).search(/[=:]/);
    const value = named.index + (separator === -1 ? named[0].length : separator + 1);
    return line.slice(0, value) + blot(line.slice(value));
  });
}

const KEY_SHAPES = /\b(?:sk-[A-Za-z0-9_-]{12,}|AIza[A-Za-z0-9_-]{20,})/g;
const SECRET_NAMES = /key|token|secret|passw|auth|env\b/i;
const LONG_TOKENS = /[A-Za-z0-9_+/=-]{16,}/g;

function blot(text: string): string {
  return text.replaceAll(/[^\s"'=,#[\]{}]/g, '•');
}
