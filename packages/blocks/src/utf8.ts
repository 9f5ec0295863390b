/** How many bytes the text takes in UTF-8; a lone surrogate counts as the three bytes of its replacement, U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += characterBytes(character);
  return bytes;
}

function characterBytes(character: string): number {
  if (character.length === 2) return 4;
  const unit = character.charCodeAt(0);
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}
