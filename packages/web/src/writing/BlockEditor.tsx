import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { editedText } from '../editor/edited-text.ts';
import { mountEditor } from '../editor/mount-editor.ts';
import { SaveTracker } from '../editor/save-state.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { describeFailure } from '../words/failures.ts';
import { useWorkHost } from '../work/work-host.ts';
import { allowEditing } from './allow-editing.ts';
import { SaveLine } from './SaveLine.tsx';
import './writing.css';

interface BlockEditorProps {
  conversation: OpenConversation;
  block: string;
  onClose: () => void;
}

const clock = {
  now: () => Date.now(),
  after(milliseconds: number, callback: () => void) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Edits the text of a block in its place, together with everybody else who is writing it. */
export function BlockEditor({ conversation, block, onClose }: BlockEditorProps): ReactElement {
  const { agent } = useWorkHost();
  const { watch, replica } = conversation;
  const known = useStore(watch.block(block));
  const place = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<string>();
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  const [tracker] = useState(
    () =>
      new SaveTracker(
        () => ({
          isOpen: replica.isOpen(block),
          isLive: replica.status === 'live',
          unsaved: replica.unsavedUnits(block),
        }),
        clock,
      ),
  );
  const kind = known?.type === 'code' ? 'code' : 'prose';
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    let isGone = false;
    let unmount = (): void => {};
    const begin = async (): Promise<void> => {
      await allowEditing(conversation, agent);
      if (isGone) return;
      const stops = [
        replica.followText(block, (change) => tracker.take(change)),
        watch.whole.subscribe(() => tracker.look()),
      ];
      const leave = (): boolean => {
        close.current();
        return true;
      };
      const editor = mountEditor(parent, {
        text: editedText(replica, block),
        label: 'Text of the message',
        kind,
        keys: [
          { key: 'Mod-Enter', run: leave },
          { key: 'Escape', run: leave },
        ],
        onState: () => tracker.look(),
      });
      editor.focus('end');
      unmount = () => {
        for (const stop of stops) stop();
        tracker.close();
        editor.destroy();
      };
    };
    begin().catch((error: unknown) => setFailure(describeFailure(error)));
    return () => {
      isGone = true;
      unmount();
    };
  }, [conversation, replica, watch, block, agent, kind, tracker]);
  return (
    <section className="editor writing" aria-label="Edit the text">
      {failure !== undefined && (
        <p className="editor-failure" role="alert">
          {failure}
        </p>
      )}
      <div className="writing-text" ref={place} />
      <div className="writing-foot">
        <SaveLine state={tracker.state} version={known?.version ?? 1} />
        <span className="grow" />
        <IconButton icon="close" label="Close" keys="Esc" onClick={onClose} />
      </div>
    </section>
  );
}
