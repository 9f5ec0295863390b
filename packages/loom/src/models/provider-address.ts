import type { ProviderKind } from './known-providers.ts';

/** The address of a provider as people write it, taken apart into what each request needs. */
export interface ProviderAddress {
  /** The base URL with the version of the API, as the SDK wants it; without a name, a password or a query. */
  baseURL: string;
  /** The query of each request, such as `api-version=2024-10-21`. */
  query: string;
  /** The header that says the name and the password of the address, which no address of a request may hold. */
  authorization?: string;
  password: string;
}

/**
 * Parses an address; `undefined` if it is not one. The vendors' own tools leave the version out (Anthropic, Google) or have it in (OpenAI),
 * and people copy both.
 */
export function readAddress(kind: ProviderKind, address: string): ProviderAddress | undefined {
  // OLLAMA_HOST has no scheme, and may be the address the server listens on.
  const whole = /^https?:\/\//i.test(address) ? address : `http://${address.replace(/^0\.0\.0\.0/, '127.0.0.1')}`;
  const url = URL.parse(whole);
  if (url === null) return undefined;
  const [name, password] = [decode(url.username), decode(url.password)];
  const plain = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return {
    baseURL: withVersion(kind, plain),
    query: url.search.slice(1),
    ...(name + password === ''
      ? {}
      : { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }),
    password,
  };
}

function withVersion(kind: ProviderKind, plain: string): string {
  if (kind === 'anthropic') return /\/v\d+$/.test(plain) ? plain : `${plain}/v1`;
  if (kind === 'google') return /\/v\d+(?:alpha|beta)?$/.test(plain) ? plain : `${plain}/v1beta`;
  return URL.parse(plain)?.pathname === '/' ? `${plain}/v1` : plain;
}

/** Decodes a password, which may have a literal percent sign. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
