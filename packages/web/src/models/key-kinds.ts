/** Recognizes the provider of a key by its beginning. Many servers give keys that begin with `sk-`; OpenAI's are the ones that are longer. */
export function providerOfKey(text: string): string | undefined {
  const key = text.trim();
  return kinds.find(({ pattern }) => pattern.test(key))?.provider;
}

const kinds: readonly { provider: string; pattern: RegExp }[] = [
  { provider: 'anthropic', pattern: /^sk-ant-/u },
  { provider: 'openrouter', pattern: /^sk-or-/u },
  { provider: 'google', pattern: /^(?:AIza|AQ\.)/u },
  { provider: 'openai', pattern: /^sk-(?:proj|svcacct|admin)-|^sk-[A-Za-z0-9]{40,}$/u },
];

/** Returns true if a text can be a key at all. */
export function isKey(text: string): boolean {
  return /^[\u0021-\u007e]{8,1000}$/u.test(text.trim());
}
