import type { ResultOf } from '@loom/kernel';

type Leaf = Pick<ResultOf<'tree.recent_leaves'>['nodes'][number], 'message' | 'metadata' | 'bookmark'>;

/** What a branch is called: as its end is named, else how that begins. */
export function branchName({ message, metadata, bookmark }: Leaf): string {
  const given = [metadata.title, bookmark].find((name) => name !== undefined && name !== '');
  if (given !== undefined) return given;
  for (const block of message.content) {
    if (block.type === 'text' && block.text.trim() !== '') return firstLine(block.text);
    if (block.type === 'tool-use') return block.name;
  }
  return message.role === 'tool' ? 'Result of a tool' : 'Without words';
}

function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line
    .replaceAll(/[#*_`>]+/gu, '')
    .trim()
    .slice(0, 200)
    .toWellFormed();
}
