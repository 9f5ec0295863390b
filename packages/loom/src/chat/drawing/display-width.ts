/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += isWide(character) ? 2 : isUnseen(character) ? 0 : 1;
  return width;
}

/** Whether a character takes two columns: those of East Asian scripts and emoji. A line may be broken on either side of it. */
export function isWide(character: string): boolean {
  return wide.test(character);
}

function isUnseen(character: string): boolean {
  return unseen.test(character);
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const unseen = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
