import { findSecrets, withoutSecrets } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../../../state/node-state.ts';

/** The message and the block that a secret stands in, as far as it takes to name them. */
export interface SecretPlace {
  role: NodeState['role'];
  /** The type of the block. */
  type: MessageBlock['type'];
  /** The command, the file or the tool, without its own secrets. */
  about?: string;
}

const longestAbout = 80;

/** Describes where a block stands, for the list of what was found. */
export function secretPlace({ role, source }: Pick<NodeState, 'role' | 'source'>, block: MessageBlock): SecretPlace {
  const about = aboutOf(block) ?? (source.type === 'tool_result' ? source.tool_name : undefined);
  const line = about?.trim().split('\n')[0] ?? '';
  const clean = withoutSecrets(line, findSecrets(line));
  const short = clean.length > longestAbout ? `${clean.slice(0, longestAbout - 1)}…` : clean;
  return { role, type: block.type, ...(short === '' ? {} : { about: short }) };
}

function aboutOf(block: MessageBlock): string | undefined {
  switch (block.type) {
    case 'command':
      return block.command;
    case 'code':
    case 'image':
      return block.filename;
    case 'tool-use':
      return block.name;
    case 'file-change':
      return block.changes[0]?.path;
    default:
      return undefined;
  }
}
