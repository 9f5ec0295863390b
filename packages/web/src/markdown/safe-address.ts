/** Returns an address that opens a page or writes a letter; `undefined` for anything else a model may have written. */
export function safeAddress(address: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/iu.test(address)) return undefined;
  return URL.canParse(address) ? address : undefined;
}

/** `tc39.es` of `https://tc39.es/proposal-temporal` */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host.replace(/^www\./u, '') : address;
}
