const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it can stand in an element or in a quoted attribute. Everything that is not markup of this package goes through here. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}

/** An address that opens a page or writes a letter; `undefined` for whatever else may have been written. */
export function safeAddress(address: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return undefined;
  return URL.canParse(address) ? address : undefined;
}
