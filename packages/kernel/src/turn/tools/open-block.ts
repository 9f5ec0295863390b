import { withAppended } from '@loom/blocks';
import type { MessageBlock, StreamedField, ToolBlock } from '@loom/blocks';
import type { ToolOutput } from '../../tool.ts';

/** A block of a result that grows while its tool runs. */
export interface OpenBlock<Block> {
  /** Resolves once the block is kept. */
  readonly opened: Promise<void>;
  append(field: StreamedField, text: string): Promise<void>;
  /** Completes the block; `more` holds facts known only now, such as an exit code. */
  end(more?: Partial<Block>): Promise<void>;
}

/**
 * Opens a block of a result and remembers the text that was appended, so that its end says all of it. A result with several blocks of one type
 * gives them keys.
 */
export function openBlock<Type extends ToolBlock['type']>(
  out: ToolOutput,
  block: Extract<ToolBlock, { type: Type }>,
  key: string = block.type,
): OpenBlock<Extract<ToolBlock, { type: Type }>> {
  let whole: ToolBlock = block;
  return {
    opened: out.start(key, block),
    append(field, text) {
      whole = grow(whole, field, text);
      return out.append(key, field, text);
    },
    end: (more) => (more === undefined ? out.end(key) : out.end(key, { ...whole, ...more })),
  };
}

/** The block as its end says it. A command's output may be longer than memory, and need not be said twice. */
function grow(block: ToolBlock, field: StreamedField, text: string): ToolBlock {
  if (block.type === 'command') {
    const { stdout, stderr, ...rest } = block;
    if (field === 'stdout') return stderr === undefined ? rest : { ...rest, stderr };
    if (field === 'stderr') return stdout === undefined ? rest : { ...rest, stdout };
  }
  const grown = withAppended(block, field, text);
  return isToolBlock(grown) ? grown : block;
}

function isToolBlock(block: MessageBlock): block is ToolBlock {
  return block.type !== 'thinking' && block.type !== 'tool-use';
}
