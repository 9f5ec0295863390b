import type { ReactElement } from 'react';
import type { MessageBlock, ToolBlock } from '@loom/blocks';
import { ChildConversation } from '../child/ChildConversation.tsx';
import { FileChanges } from '../changes/FileChanges.tsx';
import { Code } from '../Code.tsx';
import { Command } from '../Command.tsx';
import { Output } from '../Output.tsx';
import { Picture } from '../Picture.tsx';
import { Raw } from '../Raw.tsx';
import { Sources } from '../Sources.tsx';
import { Todo } from '../Todo.tsx';

interface ResultBlockProps {
  id: string;
  block: MessageBlock | ToolBlock;
  isError?: boolean;
}

/** One block of a result inside its card. */
export function ResultBlock({ id, block, isError = false }: ResultBlockProps): ReactElement | null {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text === '' ? null : (
        <Output id={id} parts={[{ text: block.text, isError }]} isProse={isError} label="Result" />
      );
    case 'command':
      return <Command id={id} block={block} />;
    case 'code':
      return <Code id={id} block={block} />;
    case 'file-change':
      return <FileChanges id={id} changes={block.changes} />;
    case 'todo':
      return <Todo items={block.items} />;
    case 'sources':
      return <Sources sources={block.sources} />;
    case 'image':
      return (
        <div className="tool-inside">
          <Picture id={id} block={block} />
        </div>
      );
    case 'conversation':
      return <ChildConversation root={block.root} />;
    case 'error':
      return <Output id={id} parts={[{ text: block.message, isError: true }]} isProse label="Error" />;
    case 'raw':
      return <Raw id={id} block={block} />;
    case 'tool-use':
      return null;
  }
}
