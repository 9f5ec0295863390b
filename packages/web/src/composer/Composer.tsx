import type { ReactElement, ReactNode } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';
import { ComposerTools } from './ComposerTools.tsx';
import { ContextStrip } from './strip/ContextStrip.tsx';
import { MessageField } from './MessageField.tsx';
import { Pins } from './pins/Pins.tsx';
import { Where } from '../work/Where.tsx';
import { useRunningTurn } from './use-running-turn.ts';

const AttachmentChips = later(async () => (await import('./attaching/AttachmentChips.tsx')).AttachmentChips);
const SharedFolder = later(async () => (await import('../work/folders/SharedFolder.tsx')).SharedFolder);
const NoModelNote = later(async () => (await import('./NoModelNote.tsx')).NoModelNote);

/** The field where a person writes; `changes` is the row about files while a turn is at work. The draft lives outside React, so that typing draws nothing but the field. */
export function Composer({ changes }: { changes?: ReactNode }): ReactElement {
  const loom = useLoom();
  const conversation = useStore(loom.conversation);
  const turn = useRunningTurn(conversation);
  const { models: answering } = useStore(loom.models.answerers);
  const { state } = useStore(loom.models.known);
  const hasNoModel = state === 'ready' && answering.length === 0;
  const placeholder = hasNoModel
    ? 'You can write and keep messages. To get answers, add a model.'
    : turn === undefined
      ? 'Write a message'
      : 'Steer the model while it works';
  return (
    <div className="dock">
      <div className="dock-column">
        {conversation === undefined && <Where />}
        <SharedFolder />
        <Pins turn={turn} changes={changes} />
        <div className="composer">
          <AttachmentChips />
          <MessageField placeholder={placeholder} />
          <ComposerTools isRunning={turn !== undefined} />
        </div>
        {hasNoModel ? <NoModelNote /> : <ContextStrip turn={turn} />}
      </div>
    </div>
  );
}
