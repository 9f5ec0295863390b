import type { ReactElement } from 'react';
import type { MessageBlock } from '@loom/blocks';
import { FileChanges } from './changes/FileChanges.tsx';
import { ChildConversation } from './child/ChildConversation.tsx';
import { Code } from './Code.tsx';
import { Command } from './Command.tsx';
import { Picture } from './Picture.tsx';
import { Raw } from './Raw.tsx';
import { Sources } from './Sources.tsx';
import { Todo } from './Todo.tsx';

interface PlacedBlockProps {
  id: string;
  block: Exclude<MessageBlock, { type: 'text' | 'thinking' | 'error' | 'tool-use' }>;
}

/** A block that is more than words and stands alone in a message. */
export function PlacedBlock({ id, block }: PlacedBlockProps): ReactElement {
  switch (block.type) {
    case 'image':
      return <Picture id={id} block={block} />;
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
    case 'conversation':
      return <ChildConversation root={block.root} />;
    case 'raw':
      return <Raw id={id} block={block} />;
  }
}
