import type { Message, MessageBlock, ToolBlock, UserBlock, AssistantBlock } from '@loom/blocks';
import { isNonEmpty } from '@loom/blocks';
import type { SourceInfo } from '../node-metadata.ts';
import type {
  Answer,
  Ask,
  DecisionScope,
  NodeSeed,
  Notice,
  Origin,
  PermissionRule,
  Question,
  ToolState,
} from '../op.ts';

/** A node at one moment. Replaced, never altered: a reference to one is a frozen message. */
export interface NodeState {
  readonly id: string;
  readonly parent: string;
  readonly role: NodeSeed['role'];
  readonly blocks: readonly MessageBlock[];
  readonly source: SourceInfo;
  /** The time at which it was added, in milliseconds since 1970. */
  readonly time: number;
  readonly tool_call_id?: string;
  readonly is_error?: boolean;
  /** True if it was cut off from its parent and joins it without a seam. */
  readonly continues?: boolean;
  /** The turn that wrote it. */
  readonly turn?: string;
  /** The state of a call, for the node of its result. */
  readonly tool?: ToolState;
  /** The decision that a person has to make before the call goes on. */
  readonly ask?: Ask;
  /** The decision that a person has made about the call. */
  readonly decided?: Decided;
  /** The start and the end of the call of the model or of the tool, as ISO 8601. */
  readonly started_at?: string;
  readonly ended_at?: string;
  /** The origin that an importer or an agent gave. */
  readonly origin?: Origin;
  /** The provider's own data about the node. */
  readonly note?: Record<string, unknown>;
  /** A program wrote it in a person's name. */
  readonly notice?: Notice;
  /** A text that the conversation holds beside its messages. */
  readonly draft?: true;
  readonly title?: string;
  readonly tags?: readonly string[];
  /** Blocks that are hidden from models here and below. */
  readonly exclude?: readonly string[];
  /** True if models are not shown anything above it. */
  readonly context_start?: boolean;
  readonly custom_data?: Record<string, unknown>;
  /** The node whose left half it was cut off as. */
  readonly split_source?: string;
  /** A tombstone: hidden with everything below. */
  readonly deleted?: boolean;
  /** The seq of the change that last altered it or a block of it; its children do not count. */
  readonly touched: number;
}

/**
 * The decision about a call: the agent that made it, and the time, as ISO 8601, with everything that was said beside the
 * decision.
 */
export interface Decided {
  readonly decision: 'approved' | 'denied' | 'answered';
  readonly by: string;
  readonly at: string;
  /** The reason that it was denied, or the answer to its question. */
  readonly text?: string;
  readonly scope?: DecisionScope;
  readonly rules?: readonly PermissionRule[];
  /** One for each question, in their order. */
  readonly answers?: readonly Answer[];
  /** The questions that were answered, as they were asked. */
  readonly questions?: readonly Question[];
  /** The arguments that the call runs with instead. */
  readonly arguments_changed?: string;
}

/** The message that a node holds, or `undefined` if it has nothing to say. */
export function messageOf(
  { role, tool_call_id = '', is_error }: Pick<NodeState, 'role' | 'tool_call_id' | 'is_error'>,
  blocks: readonly MessageBlock[],
): Message | undefined {
  switch (role) {
    case 'user': {
      const content: UserBlock[] = blocks.filter(belongsToUser);
      return isNonEmpty(content) ? { role: 'user', content } : undefined;
    }
    case 'assistant': {
      const content: AssistantBlock[] = blocks.filter(belongsToAssistant);
      return isNonEmpty(content) ? { role: 'assistant', content } : undefined;
    }
    case 'tool': {
      const content: ToolBlock[] = blocks.filter(belongsToTool);
      const message: Message = { role: 'tool', content, tool_call_id };
      return is_error === true ? { ...message, is_error: true } : message;
    }
  }
}

// A node's blocks were checked against its role when they were added; these only tell the compiler so.
function belongsToUser(block: MessageBlock): block is UserBlock {
  return block.type === 'text' || block.type === 'image' || block.type === 'raw';
}

function belongsToAssistant(block: MessageBlock): block is AssistantBlock {
  return block.type !== 'conversation';
}

function belongsToTool(block: MessageBlock): block is ToolBlock {
  return block.type !== 'thinking' && block.type !== 'tool-use';
}
