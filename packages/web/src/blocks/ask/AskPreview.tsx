import type { ReactElement } from 'react';
import type { ToolBlock, ToolUseBlock } from '@loom/blocks';
import { viewsOfToolCall } from '@loom/blocks/views';
import type { Ask } from '@loom/kernel';
import { Markdown } from '../../markdown/Markdown.tsx';
import { FileChanges } from '../changes/FileChanges.tsx';
import { reachOf } from './ask-facts.ts';
import { isLimit } from './ask-words.ts';
import { Todo } from '../Todo.tsx';

interface AskPreviewProps {
  call: ToolUseBlock;
  node: string;
  ask: Ask;
  home: string | undefined;
}

/** The subject of the decision: the exact command, the exact changes, else the arguments as they are. */
export function AskPreview({ call, node, ask, home }: AskPreviewProps): ReactElement | null {
  if (ask.kind === 'question') return null;
  const blocks = ask.preview.length > 0 ? ask.preview : viewsOfToolCall(call);
  const isShown =
    isLimit(call) || ask.modes !== undefined || blocks.some(({ type }) => type === 'command' || type === 'file-change');
  // The reach of a command stands among the facts.
  const shown = reachOf(blocks).length === 0 ? blocks : blocks.filter(({ type }) => type !== 'text');
  return (
    <>
      {shown.map((block, index) =>
        ask.modes !== undefined && block.type === 'text' ? (
          <div key={index} className="ask-plan">
            <Markdown text={block.text} />
          </div>
        ) : (
          <PreviewBlock key={index} id={`${node} ask ${index}`} block={block} home={home} />
        ),
      )}
      {!isShown && <pre className="ask-command">{JSON.stringify(call.parameters, null, 2)}</pre>}
    </>
  );
}

interface PreviewBlockProps {
  id: string;
  block: ToolBlock;
  home: string | undefined;
}

function PreviewBlock({ id, block, home }: PreviewBlockProps): ReactElement | null {
  switch (block.type) {
    case 'command':
      return <pre className="ask-command">{block.command}</pre>;
    case 'file-change':
      return <FileChanges id={id} changes={block.changes} home={home} />;
    case 'todo':
      return <Todo items={block.items} />;
    case 'text':
      return <p className="ask-text">{block.text}</p>;
    default:
      return null;
  }
}
