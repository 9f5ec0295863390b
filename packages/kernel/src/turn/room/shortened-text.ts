import type { Message } from '@loom/blocks';

/** A message whose long texts have a gap in the middle: what a text is about stands mostly at its ends. */
export function shortenTexts(message: Message, most: number): Message {
  const cut = <Block extends { type: string }>(block: Block): Block =>
    block.type === 'text' && 'text' in block && typeof block.text === 'string' && block.text.length > most
      ? { ...block, text: cutText(block.text, most) }
      : block;
  if (message.role === 'tool') return { ...message, content: message.content.map(cut) };
  if (message.role === 'user') {
    const [first, ...rest] = message.content;
    return { ...message, content: [cut(first), ...rest.map(cut)] };
  }
  const [first, ...rest] = message.content;
  return { ...message, content: [cut(first), ...rest.map(cut)] };
}

function cutText(text: string, most: number): string {
  const half = Math.floor(most / 2);
  const [head, tail] = [text.slice(0, half), text.slice(-half)];
  return `${head}\n[… ${text.length - 2 * half} characters are left out here …]\n${tail}`.toWellFormed();
}
