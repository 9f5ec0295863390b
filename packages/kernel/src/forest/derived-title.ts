/** The longest title that is made of a message, in characters. */
const longestTitle = 60;
/** A shorter sentence says too little to stand for a message that goes on behind it. */
const shortestSentence = 12;

/** Derives a title for a conversation without one: the beginning of its first message, in one line without Markdown. */
export function deriveTitle(opening: string): string {
  const lines = opening.split('\n').map(withoutMarkdown).filter(Boolean);
  const whole = lines.join(' ');
  if (whole.length <= longestTitle) return whole;
  const sentence = wholeSentences(lines);
  if (sentence.length >= shortestSentence) return sentence;
  const beginning = whole.slice(0, longestTitle);
  const words = beginning.replace(/\s+\S*$/u, '');
  const isOneWord = words === beginning;
  return `${isOneWord ? withoutHalfPair(beginning.slice(0, -1)) : words.replace(/[\s,;:–-]+$/u, '')}…`;
}

/** Returns as many lines as fit, else as many sentences of the first one. */
function wholeSentences([first = '', ...rest]: readonly string[]): string {
  if (first.length > longestTitle) {
    return /^.*(?:[.!?](?=\s)|[。！？])/u.exec(first.slice(0, longestTitle + 1))?.[0] ?? '';
  }
  const [next = ''] = rest;
  const joined = `${first} ${next}`;
  return next !== '' && joined.length <= longestTitle ? wholeSentences([joined, ...rest.slice(1)]) : first;
}

/** The words of a line, without the marks that lay them out. */
export function withoutMarkdown(line: string): string {
  if (/^\s*(?:```|~~~|[-*_=]{3,}\s*$)/u.test(line)) return '';
  return line
    .replace(/^\s*(?:>\s*)*(?:#{1,6}\s+|[-*+]\s+|\d{1,3}[.)]\s+)?/u, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/(`+)(.+?)\1/gu, '$2')
    .replaceAll(/(?<![\w*])(\*{1,3}|_{1,3}|~~)(?=\S)(.+?)(?<=\S)\1(?![\w*])/gu, '$2')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

function withoutHalfPair(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}
