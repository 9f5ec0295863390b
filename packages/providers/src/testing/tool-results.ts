import { withAppended } from '@loom/blocks';
import type { MessageBlock, ToolBlock } from '@loom/blocks';
import type { Tool, ToolContext, ToolInvocation, ToolOutcome, ToolOutput } from '@loom/kernel';

/** Runs a tool; its result begins with the blocks that it streamed. */
export async function runTool(tool: Tool, invocation: ToolInvocation, context: ToolContext): Promise<ToolOutcome> {
  const streamed = new Map<string, ToolBlock>();
  const keep = (key: string, block: MessageBlock): void => {
    if (block.type !== 'thinking' && block.type !== 'tool-use') streamed.set(key, block);
  };
  const out: ToolOutput = {
    start: async (key, block) => keep(key, block),
    append: async (key, field, text) => {
      const block = streamed.get(key);
      if (block !== undefined) keep(key, withAppended(block, field, text));
    },
    end: async (key, block) => {
      if (block !== undefined) keep(key, withStreamed(block, streamed.get(key)));
    },
  };
  const outcome = await tool.run(invocation, context, out);
  return { ...outcome, content: [...streamed.values(), ...outcome.content] };
}

/** The outputs that the end of a command leaves out are the streamed ones. */
function withStreamed(final: ToolBlock, said: ToolBlock | undefined): ToolBlock {
  if (final.type !== 'command' || said?.type !== 'command') return final;
  const { stdout, stderr } = said;
  return { ...(stdout === undefined ? {} : { stdout }), ...(stderr === undefined ? {} : { stderr }), ...final };
}
