import { soundsSecret } from '../secret-names.ts';
import type { ProviderSetup } from './provider-setup.ts';

/** Returns a `fetch` that adds the configured headers and query to each request to a provider. */
export function fetchFor({ headers: own, query }: Pick<ProviderSetup, 'headers' | 'query'>): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    return globalThis.fetch(withQuery(input, query), { ...init, headers });
  };
}

function withQuery(input: Parameters<typeof globalThis.fetch>[0], query: string): typeof input {
  if (query === '' || input instanceof Request) return input;
  const url = new URL(input);
  url.search = url.search === '' ? query : `${url.search}&${query}`;
  return url;
}

/** Returns the values a server might repeat that must not be kept: those with names that sound secret, and those too long for a plain word. */
export function secretsIn({
  headers,
  query,
  password,
}: Pick<ProviderSetup, 'headers' | 'query' | 'password'>): string[] {
  const named = [...Object.entries(headers), ...new URLSearchParams(query), ['password', password] as const];
  const values = named.flatMap(([name, value]) => {
    // Of `Bearer <token>` the token alone is secret too.
    const words = [value, ...value.split(/\s+/), encodeURIComponent(value)];
    return words.filter((word) => word.length >= (soundsSecret(name) ? shortestSecret : longestWord));
  });
  return [...new Set(values)];
}

/** Replacing shorter ones would garble the text and protect nothing. */
const shortestSecret = 6;
const longestWord = 24;
