import { useEffect, useMemo, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { KeyBinding } from '@codemirror/view';
import { agentName } from '../conversation/agent-name.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { editedText } from '../editor/edited-text.ts';
import type { EditedText } from '../editor/edited-text.ts';
import { mountEditor } from '../editor/mount-editor.ts';
import type { MountedEditor } from '../editor/mount-editor.ts';
import { SaveTracker } from '../editor/save-state.ts';
import { describeFailure } from '../words/failures.ts';
import { useMay } from '../work/use-may.ts';
import { useWorkHost } from '../work/work-host.ts';
import { allowEditing } from './allow-editing.ts';
import { isQuiet } from './presence/quiet.ts';
import { whoColor } from './presence/who-color.ts';

interface TextEditorOptions {
  readonly conversation: OpenConversation;
  readonly block: string;
  readonly kind: 'prose' | 'code';
  readonly label: string;
  readonly hasLineNumbers?: boolean;
  /** True if the caret goes into the text as soon as it is there. */
  readonly takesFocus: boolean;
  /** Keys of the place around it, by their names in CodeMirror. */
  readonly keys?: Readonly<Record<string, () => void>>;
}

export interface TextEditor {
  /** The element that it is mounted in. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** Absent until it is loaded. */
  readonly editor: MountedEditor | undefined;
  readonly text: EditedText;
  readonly tracker: SaveTracker;
  readonly failure: string | undefined;
  /** False for readers who may not write. */
  readonly mayWrite: boolean;
}

const clock = {
  now: () => Date.now(),
  after(milliseconds: number, callback: () => void) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Mounts an editor of a text of the conversation, which all who have it open write together. */
export function useTextEditor(options: TextEditorOptions): TextEditor {
  const { conversation, block, kind, label, hasLineNumbers = false, takesFocus } = options;
  const { agent } = useWorkHost();
  const mayWrite = useMay('block.edit') !== false;
  const { watch, replica } = conversation;
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<MountedEditor>();
  const [failure, setFailure] = useState<string>();
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const text = useMemo(() => editedText(replica, block), [replica, block]);
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
      const mounted = mountEditor(parent, {
        text: editedText(replica, block),
        others: {
          reader: agent,
          nameOf: (other) => agentName(other, agent),
          colorOf: (other) => whoColor(other, agent),
          isQuiet,
        },
        label,
        kind,
        hasLineNumbers,
        isReadOnly: !mayWrite,
        keys: Object.keys(latest.current.keys ?? {}).map((key): KeyBinding => ({
          key,
          run() {
            latest.current.keys?.[key]?.();
            return true;
          },
        })),
        onState: () => tracker.look(),
      });
      if (takesFocus) mounted.focus('end');
      setEditor(mounted);
      unmount = () => {
        for (const stop of stops) stop();
        tracker.close();
        mounted.destroy();
        setEditor(undefined);
      };
    };
    begin().catch((error: unknown) => setFailure(describeFailure(error)));
    return () => {
      isGone = true;
      unmount();
    };
  }, [conversation, replica, watch, block, agent, kind, label, hasLineNumbers, takesFocus, mayWrite, tracker]);
  return { place, editor, text, tracker, failure, mayWrite };
}
