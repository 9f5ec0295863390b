import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { usePart } from '../stores/use-part.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { EditPrice } from './EditPrice.tsx';
import { MoveToBranch } from './MoveToBranch.tsx';
import { useTextEditor } from './use-text-editor.ts';
import { WritingArea } from './WritingArea.tsx';

interface BlockEditorProps {
  conversation: OpenConversation;
  block: string;
  onClose: () => void;
}

/** Edits the text of a block in its place, together with everybody else who is writing it. */
export function BlockEditor({ conversation, block, onClose }: BlockEditorProps): ReactElement {
  const { openText } = useWorkHost();
  const isCode = usePart(conversation.watch.block(block), (known) => known?.type === 'code');
  const editor = useTextEditor({
    conversation,
    block,
    kind: isCode ? 'code' : 'prose',
    label: 'Text of the message',
    takesFocus: true,
    keys: { 'Mod-Enter': onClose, Escape: onClose },
  });
  return (
    <section className="editor writing" aria-label="Edit the text">
      <WritingArea conversation={conversation} block={block} editor={editor}>
        <MoveToBranch conversation={conversation} block={block} editor={editor} onMoved={onClose} />
        <IconButton icon="expand" label="Show it alone" onClick={() => openText(conversation.root, block)} />
        <IconButton icon="close" label="Close" keys="Esc" onClick={onClose} />
      </WritingArea>
      <EditPrice conversation={conversation} block={block} />
    </section>
  );
}
