import { maskSecret, secretShapes } from '@loom/blocks';
import { SECRET_NAMES } from './secret-names.ts';

/** Environment variables that hold a provider's key, and whose. They win over `apiKey` in files; of several for one the first counts. */
export const KEY_VARIABLES: readonly { variable: string; provider: string }[] = [
  { variable: 'OPENAI_API_KEY', provider: 'openai' },
  { variable: 'ANTHROPIC_API_KEY', provider: 'anthropic' },
  { variable: 'GOOGLE_API_KEY', provider: 'google' },
  { variable: 'GEMINI_API_KEY', provider: 'google' },
  { variable: 'GOOGLE_GENERATIVE_AI_API_KEY', provider: 'google' },
  { variable: 'OPENROUTER_API_KEY', provider: 'openrouter' },
];

/** Environment variables that hold the address of a provider, by which the vendors' own tools find it too. */
export const ADDRESS_VARIABLES: typeof KEY_VARIABLES = [
  { variable: 'OPENAI_BASE_URL', provider: 'openai' },
  { variable: 'ANTHROPIC_BASE_URL', provider: 'anthropic' },
  { variable: 'GOOGLE_GEMINI_BASE_URL', provider: 'google' },
  { variable: 'OPENROUTER_BASE_URL', provider: 'openrouter' },
  { variable: 'OLLAMA_HOST', provider: 'ollama' },
];

/** Masks the given secrets, and anything that has the shape of one, wherever they stand in a text. */
export function redact(text: string, secrets: Iterable<string>): string {
  return maskShapes(maskKeys(text, secrets));
}

/** Masks the given secrets and keys of well-known providers. Nothing else is touched, so that JSON stays JSON. */
export function maskKeys(text: string, secrets: Iterable<string>): string {
  let result = text;
  // Longer ones first: a secret may be part of another.
  for (const secret of [...secrets].sort((left, right) => right.length - left.length)) {
    // Replacing very short values would garble the text and protect nothing.
    if (secret.length >= 6) result = result.replaceAll(secret, maskSecret(secret));
  }
  return result.replaceAll(secretShapes, (found) => maskSecret(found));
}

/** Masks text that has the shape of a secret: keys of well-known providers, passwords and keys in addresses. */
export function maskShapes(text: string): string {
  return text
    .replaceAll(secretShapes, (found) => maskSecret(found))
    .replaceAll(PASSWORD_IN_ADDRESS, '$1…@')
    .replaceAll(KEY_IN_ADDRESS, '$1…');
}

/** The provider keys among environment variables. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return KEY_VARIABLES.map(({ variable }) => env[variable]?.trim() ?? '').filter((value) => value !== '');
}

/**
 * Blots out possible secrets in the lines of a configuration file that cannot be parsed, character by character, so that columns stay where
 * they are. It needs the file from its first line on: a header or an open text may stand far above.
 */
export function blotLines(lines: readonly string[]): string[] {
  let isSecretTable = false;
  let isSecretPair = false;
  return lines.map((line) => {
    const [pair] = /^[\w."'\s-]+[=:]/.exec(line) ?? [];
    const named = SECRET_LINES.exec(line);
    const isHeader = /^\s*\[/.test(line);
    if (isHeader) {
      isSecretTable = named !== null;
      isSecretPair = false;
    } else if (pair !== undefined) {
      isSecretPair = isSecretTable || named !== null;
      if (isSecretTable) return blotFrom(line, pair.length);
    } else if (isSecretPair) {
      return blot(line);
    }
    if (named === null || isHeader) return line.replaceAll(LONG_TOKENS, blot);
    const separator = line.slice(named.index).search(/[=:]/);
    return blotFrom(line, named.index + (separator === -1 ? named[0].length : separator + 1));
  });
}

const SECRET_LINES = new RegExp(`${SECRET_NAMES.source}|env\\b`, 'i');
const LONG_TOKENS = /[A-Za-z0-9_+/=-]{16,}/g;
// Their repetitions are bounded, so that the time grows with the length of a text and no faster.
const PASSWORD_IN_ADDRESS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^/@\s:]{0,100}:)[^/\s]+@/gi;
const KEY_IN_ADDRESS = /([?&][^=&?\s]{0,40}?(?:key|token|secret|pass|auth|sig)[^=&?\s]{0,40}=)[^&#\s"']+/gi;

function blotFrom(line: string, start: number): string {
  return line.slice(0, start) + blot(line.slice(start));
}

function blot(text: string): string {
  return text.replaceAll(/[^\s"'=,#[\]{}]/g, '•');
}
