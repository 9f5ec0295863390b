import { isPurged, purgedWords } from '@loom/blocks';
import type { ResultOf } from '@loom/kernel';
import { oneLine } from '../../conversation/block-words.ts';

type Node = ResultOf<'tree.recent_leaves'>['nodes'][number];
type Leaf = Pick<Node, 'message' | 'bookmark'> & { metadata: Pick<Node['metadata'], 'title'> };

/** Returns the name of a branch: the name of its end, else the opening words of that. */
export function branchName({ message, metadata, bookmark }: Leaf): string {
  const given = [metadata.title, bookmark].find((name) => name !== undefined && name !== '');
  if (given !== undefined) return given;
  for (const block of message.content) {
    if (block.type === 'text' && block.text.trim() !== '') return isPurged(block) ? purgedWords : oneLine(block.text);
    if (block.type === 'tool-use') return block.name;
  }
  if (message.content.every(({ type }) => type === 'text')) return 'No words yet';
  return message.role === 'tool' ? 'Result of a tool' : 'Without words';
}

/** Names of branches, the newest first, where equal ones are counted from the oldest on. */
export function distinctNames(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const older = names.slice(index + 1).filter((other) => other === name).length;
    const isAlone = names.indexOf(name) === index && older === 0;
    return isAlone ? name : `${name} (${older + 1})`;
  });
}
