import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { mergeText } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { countBelow } from '../conversation/branches.ts';
import { useStore } from '../stores/use-store.ts';
import { count } from '../words/amounts.ts';
import { editOpened } from '../writing/open-text.ts';
import { describeFailure } from '../words/failures.ts';
import { EditChoices } from './EditChoices.tsx';
import { editChoices, firstChoice, saveEdit } from './message-edit.ts';
import type { EditChoice } from './message-edit.ts';

const saveWords: { readonly [Choice in EditChoice]: string } = {
  'in-place': 'Save in place',
  branch: 'Make branch',
  'branch-and-run': 'Make branch and run',
  save: 'Save',
  'save-and-run': 'Save and run',
};

/** Edits a text in its place in the timeline, with what each way of saving does and costs. */
export function MessageEditor({ node, block }: { node: NodeState; block: string }): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const shape = useStore(conversation.shape);
  const draft = `edit ${block}`;
  const [opened] = useState(() => conversation.replica.text(block) ?? '');
  const [text, setText] = useState(() => loom.drafts.read(draft) || opened);
  const [failure, setFailure] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const below = countBelow(shape, node.id) - 1;
  const choices = editChoices(node, below === 0);
  const [choice, setChoice] = useState(() => firstChoice(choices));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  const canCost = choices.includes('in-place');
  useEffect(() => {
    if (!canCost) return undefined;
    // The table of what each branch would cost stands in the inspector.
    const { tab } = loom.workspace;
    const before = tab.getSnapshot();
    tab.set('context');
    return () => tab.update((now) => (now === 'context' ? before : now));
  }, [loom, canCost]);
  useEffect(() => fitHeight(field.current), [text]);
  const write = (next: string): void => {
    setText(next);
    loom.drafts.keep(draft, next === opened ? '' : next);
  };
  const close = (): void => {
    loom.workspace.editing.set(undefined);
    document.querySelector<HTMLElement>('[role="feed"]')?.focus();
  };
  const save = (how = choice): void => {
    if (isSaving || text.trim() === '') return;
    setSaving(true);
    const saved = async (): Promise<void> => {
      await saveEdit(loom, conversation, { node, block, opened, text, choice: how });
      loom.drafts.keep(draft, '');
      close();
    };
    saved().catch((error: unknown) => {
      setFailure(describeFailure(error));
      setSaving(false);
    });
  };
  const writeTogether = (): void => {
    if (isSaving) return;
    if (text !== opened && conversation.replica.status !== 'live') {
      setFailure('The server does not answer. What you typed is kept here.');
      return;
    }
    setSaving(true);
    const moved = async (): Promise<void> => {
      const place = { agent: loom.agent, block };
      // Words that others have written since it was opened stay.
      if (text !== opened) await editOpened(conversation, place, (now) => mergeText(opened, now, text));
      loom.drafts.keep(draft, '');
      loom.workspace.editing.set({ node: node.id, block, isShared: true });
    };
    moved().catch((error: unknown) => {
      setFailure(describeFailure(error));
      setSaving(false);
    });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() === 'e' && event.shiftKey && (event.ctrlKey || event.metaKey)) writeTogether();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="editor" onKeyDown={onKeyDown} role="group" aria-label="Edit the message">
      {failure !== undefined && (
        <p className="editor-failure" role="alert">
          {failure}
        </p>
      )}
      <textarea
        dir="auto"
        ref={field}
        aria-label="Text of the message"
        rows={1}
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      {below > 0 && (
        <EditChoices
          node={node}
          block={block}
          opened={opened}
          text={text}
          choices={choices}
          choice={choice}
          onChoose={setChoice}
        />
      )}
      <div className="editor-foot">
        <span className="editor-keys">
          <kbd>Ctrl Enter</kbd> saves <kbd>Esc</kbd> keeps a draft
        </span>
        <span className="grow" />
        <button
          type="button"
          className="button button-quiet"
          title="What you typed is saved in place, then every key, and others can write along (Ctrl Shift E)"
          disabled={isSaving}
          onClick={writeTogether}
        >
          Write in place, together
        </button>
        <button
          type="button"
          className="button button-quiet"
          onClick={() => {
            loom.drafts.keep(draft, '');
            close();
          }}
        >
          Discard
        </button>
        {below === 0 && choices.includes('save-and-run') && (
          <button type="button" className="button" disabled={isSaving} onClick={() => save('save-and-run')}>
            {saveWords['save-and-run']}
          </button>
        )}
        <button
          type="button"
          className="button button-primary"
          disabled={isSaving || text.trim() === ''}
          onClick={() => save()}
        >
          {saveWords[choice]}
        </button>
      </div>
      {below > 0 && choice !== 'in-place' && (
        <p className="unseen">{count(below, 'message')} below stay as they are.</p>
      )}
    </div>
  );
}

function fitHeight(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}
