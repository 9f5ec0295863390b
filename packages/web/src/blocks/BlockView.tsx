import type { ReactElement } from 'react';
import { isPurged } from '@loom/blocks';
import type { MessageBlock, Source } from '@loom/blocks';
import { Markdown } from '../markdown/Markdown.tsx';
import { FileChanges } from './changes/FileChanges.tsx';
import { Code } from './Code.tsx';
import { Command } from './Command.tsx';
import { ErrorView } from './ErrorView.tsx';
import { Picture } from './Picture.tsx';
import { Raw } from './Raw.tsx';
import { Sources } from './Sources.tsx';
import { Thinking } from './Thinking.tsx';
import { Todo } from './Todo.tsx';
import { ChildConversation } from './child/ChildConversation.tsx';

interface BlockViewProps {
  block: MessageBlock;
  node: string;
  sources?: readonly Source[] | undefined;
  /** Thinking that goes to no model any more. */
  isUnsent?: boolean;
  /** What went wrong is said below, by a block of its own. */
  isExplained?: boolean;
}

/** How each kind of block looks where it stands by itself. A block that ended badly says so below what it has. */
export function BlockView(props: BlockViewProps): ReactElement {
  const { block, node, sources, isUnsent = false, isExplained = false } = props;
  const { error } = block;
  return (
    <>
      <BlockContent block={block} node={node} sources={sources} isUnsent={isUnsent} />
      {error !== undefined && block.type !== 'tool-use' && !isExplained && (
        <ErrorView node={node} code={error.code} message={error.message} />
      )}
    </>
  );
}

function BlockContent({ block, node, sources, isUnsent = false }: BlockViewProps): ReactElement | null {
  const id = block.block_id ?? node;
  if (isPurged(block) && block.type !== 'tool-use') return <p className="quiet">Removed for good</p>;
  switch (block.type) {
    case 'text':
      return <Markdown text={block.text} isGrowing={block.status === 'running'} sources={sources} />;
    case 'thinking':
      return <Thinking block={block} isUnsent={isUnsent} />;
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
    case 'error':
      return <ErrorView node={node} code={block.code} message={block.message} detail={block.detail} />;
    case 'raw':
      return <Raw id={id} block={block} />;
    case 'tool-use':
      return null;
  }
}
