import { use } from 'react';
import type { ReactElement } from 'react';
import type { ToolUseBlock } from '@loom/blocks';
import { WorkHostContext } from '../../work/work-host.ts';
import { nameOfBlock } from './name-of-block.ts';
import { lineWords, textCallOf } from './text-call.ts';

/** The text that a call is about, and the lines that it changes: `“Plan”, lines 3–5`. */
export function TextCallWords({ call }: { call: ToolUseBlock }): ReactElement {
  const conversation = use(WorkHostContext)?.conversation.getSnapshot();
  const { block, lines, title } = textCallOf(call.name, call.parameters);
  const name = block === undefined ? (title === undefined ? '' : `“${title}”`) : nameOfBlock(conversation, block);
  return <>{[name, lines && lineWords(lines)].filter(Boolean).join(', ')}</>;
}
