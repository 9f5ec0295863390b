/**
 * Text as every store, wire and CRDT can hold it: each lone surrogate and each NUL becomes U+FFFD.
 * Both arrive as valid JSON escapes, but neither survives UTF-8, PostgreSQL text or a Yjs document.
 */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}

/** True if nothing but white space is there. Decides whether a text block counts as content; never changes the text. */
export function isBlank(text: string): boolean {
  // \S is the complement of what trim removes, and stops at the first character that is something.
  return !/\S/.test(text);
}
