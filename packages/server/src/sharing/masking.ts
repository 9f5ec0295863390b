import { findSecrets, maskFound, withoutSecrets } from '@loom/blocks';
import type { FoundSecret } from '@loom/blocks';

/** A secret that a masking has come across. */
export interface NotedSecret {
  kind: string;
  masked: string;
}

/** The least length at which a value is looked for everywhere. Shorter ones are words, too. */
const leastAnywhere = 8;

/** Most texts have few secrets; one pattern for all of them stays within this number. */
const mostAnywhere = 2000;

/**
 * Puts dots in the place of secrets. First every text is noted, then every text is written: a value that only its name gave away in one
 * place is gone from all others, too.
 */
export class Masking {
  readonly #values = new Set<string>();
  #anywhere: RegExp | undefined;

  /** Finds the secrets of a text; `name` is the key that it stands under. */
  note(text: string, name?: string): NotedSecret[] {
    return findIn(text, name).map((secret) => {
      const value = text.slice(secret.start, secret.end);
      if (value.length >= leastAnywhere && this.#values.size < mostAnywhere) this.#values.add(value);
      this.#anywhere = undefined;
      return { kind: secret.kind, masked: maskFound(text, secret) };
    });
  }

  /** Returns a text without its secrets, and without those noted elsewhere. */
  write(text: string, name?: string): string {
    const own = withoutSecrets(text, findIn(text, name));
    if (this.#values.size === 0) return own;
    this.#anywhere ??= new RegExp(
      [...this.#values]
        .sort((one, other) => other.length - one.length)
        .map((value) => RegExp.escape(value))
        .join('|'),
      'gu',
    );
    return own.replace(this.#anywhere, '••••');
  }
}

/** Finds the secrets of a text by themselves, and by the name that it is the value of. */
function findIn(text: string, name: string | undefined): FoundSecret[] {
  const found = findSecrets(text);
  if (name === undefined || text.length > longestNamed) return found;
  const beginning = `"${name}": "`;
  const named = findSecrets(`${beginning}${text}"`).flatMap(({ kind, start, end }) =>
    start < beginning.length
      ? []
      : [{ kind, start: start - beginning.length, end: Math.min(end - beginning.length, text.length) }],
  );
  const all = [...found, ...named].sort((one, other) => one.start - other.start || other.end - one.end);
  const apart: FoundSecret[] = [];
  for (const secret of all) if (secret.start >= (apart.at(-1)?.end ?? 0)) apart.push(secret);
  return apart;
}

/** A value beside a name is not longer than this. */
const longestNamed = 1000;

/** Replaces every text in a value of JSON, the keys of objects included. */
export function mapTexts(value: unknown, change: (text: string, name?: string) => string, name?: string): unknown {
  if (typeof value === 'string') return change(value, name);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [change(key), mapTexts(field, change, key)]));
}
