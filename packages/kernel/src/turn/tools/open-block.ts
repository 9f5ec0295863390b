import { withAppended } from '@loom/blocks';
import type { MessageBlock, StreamedField, ToolBlock } from '@loom/blocks';
import type { ToolOutput } from '../../tool.ts';

/** A block of a result that grows while its tool runs. */
export interface OpenBlock<Block> {
  append(field: StreamedField, text: string): Promise<void>;
  /** The block is complete; `more` is what is known of it only now, such as an exit code. */
  end(more?: Partial<Block>): Promise<void>;
}

/**
 * Opens a block of a result and remembers what was appended, so that its end says all of it. A result with several blocks of one type
 * gives them keys.
 */
export function openBlock<Type extends ToolBlock['type']>(
  out: ToolOutput,
  block: Extract<ToolBlock, { type: Type }>,
  key: string = block.type,
): OpenBlock<Extract<ToolBlock, { type: Type }>> {
  let whole: ToolBlock = block;
  void out.start(key, block);
  return {
    append(field, text) {
      const grown = withAppended(whole, field, text);
      if (isToolBlock(grown)) whole = grown;
      return out.append(key, field, text);
    },
    end: (more) => (more === undefined ? out.end(key) : out.end(key, { ...whole, ...more })),
  };
}

function isToolBlock(block: MessageBlock): block is ToolBlock {
  return block.type !== 'thinking' && block.type !== 'tool-use';
}
