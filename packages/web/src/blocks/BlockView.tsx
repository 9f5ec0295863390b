import type { ReactElement } from 'react';
import { isPurged, purgedWords } from '@loom/blocks';
import type { MessageBlock, Source } from '@loom/blocks';
import { Markdown } from '../markdown/Markdown.tsx';
import { later } from '../ui/later.tsx';
import { Thinking } from './Thinking.tsx';

/** Loaded late: most messages are words and calls, and few of them have failed. */
const PlacedBlock = later(async () => (await import('./PlacedBlock.tsx')).PlacedBlock);
const ErrorView = later(async () => (await import('./ErrorView.tsx')).ErrorView);

interface BlockViewProps {
  block: MessageBlock;
  node: string;
  sources?: readonly Source[] | undefined;
  /** True for thinking that no model receives any longer. */
  isUnsent?: boolean;
  /** True if a separate block below says what went wrong. */
  isExplained?: boolean;
}

/** Draws each kind of block outside of a group. A block that ended badly says so below its content. */
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
  if (isPurged(block) && block.type !== 'tool-use') return <p className="quiet">{purgedWords}</p>;
  switch (block.type) {
    case 'text':
      return <Markdown text={block.text} isGrowing={block.status === 'running'} sources={sources} />;
    case 'thinking':
      return <Thinking block={block} isUnsent={isUnsent} />;
    case 'error':
      return <ErrorView node={node} code={block.code} message={block.message} detail={block.detail} />;
    case 'tool-use':
      return null;
    default:
      return <PlacedBlock id={id} block={block} />;
  }
}
