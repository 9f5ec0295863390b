/** The number of terminal columns a text takes. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const cluster of clustersOf(text)) width += clusterWidth(cluster);
  return width;
}

/** The characters of a text as people see them: a letter with its marks, or an emoji of several code points, is one. */
export function* clustersOf(text: string): Generator<string, void, void> {
  // It loads its own data, which most commands do without.
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Returns true for a character that takes two columns: East Asian scripts and emoji. A line may be broken on either side of it. */
export function isWide(character: string): boolean {
  return wide.test(character);
}

function clusterWidth(cluster: string): number {
  if (emoji.test(cluster)) return 2;
  let width = 0;
  for (const character of cluster) width += isWide(character) ? 2 : unseen.test(character) ? 0 : 1;
  return width;
}

let segmenter: Intl.Segmenter | undefined;
const plain = /^[\u0020-\u007E]*$/;
/** Flags, keycaps, and emoji joined or changed by the code points that follow: one picture, whatever their number of code points. */
const emoji = /^(?:\p{RI}{2}|.\uFE0F|\p{Extended_Pictographic}(?=.*[\u200D\p{Emoji_Modifier}]))/u;
/** Vowels and finals of decomposed Hangul are drawn into the syllable before them, so they are not in here. */
const wide =
  /(?![\u1160-\u11FF\u{1F1E6}-\u{1F1FF}])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const unseen = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF]/u;
