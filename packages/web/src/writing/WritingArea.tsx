import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { showAuthors } from '../editor/authorship-tint.ts';
import { useWorkHost } from '../work/work-host.ts';
import { authoredText } from './authored-text.ts';
import { ChangedText } from './history/ChangedText.tsx';
import { HistoryBar } from './history/HistoryBar.tsx';
import type { Past } from './history/HistoryBar.tsx';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { readVersions } from './read-versions.ts';
import { SaveLine } from './SaveLine.tsx';
import type { TextEditor } from './use-text-editor.ts';
import './presence/presence.css';
import './writing.css';

interface WritingAreaProps {
  conversation: OpenConversation;
  block: string;
  editor: TextEditor;
  /** Further facts and things to do, beside the state of the text. */
  children?: ReactNode;
}

/** A text that is written together, with where its words are, its authors and its history. */
export function WritingArea({ conversation, block, editor, children }: WritingAreaProps): ReactElement {
  const { call, attempt } = useWorkHost();
  const [hasHistory, setHistory] = useState(false);
  const [isTinted, setTinted] = useState(false);
  const [past, setPast] = useState<Past>();
  const { place, text, tracker, failure, mayWrite } = editor;
  const view = editor.editor?.view;
  const tint = async (): Promise<void> => {
    if (view === undefined) return;
    setTinted(!isTinted);
    showAuthors(view, isTinted ? undefined : authoredText(await readVersions(call, block)));
  };
  return (
    <>
      {failure !== undefined && (
        <p className="editor-failure" role="alert">
          {failure}
        </p>
      )}
      <div className="writing-text" ref={place} hidden={past !== undefined} />
      {past !== undefined && (
        <div className="writing-past scroll" tabIndex={0} role="region" aria-label={`Version ${past.version}`}>
          <ChangedText pieces={past.pieces} />
        </div>
      )}
      <div className="writing-foot">
        {mayWrite ? (
          <SaveLine conversation={conversation} block={block} state={tracker.state} />
        ) : (
          <span className="save-line">You may read this text, not change it.</span>
        )}
        <span className="grow" />
        <button
          type="button"
          className="text-button"
          aria-pressed={isTinted}
          disabled={view === undefined}
          onClick={() => attempt(tint)}
        >
          Who wrote what
        </button>
        <button
          type="button"
          className="text-button"
          aria-pressed={hasHistory}
          onClick={() => {
            setHistory(!hasHistory);
            setPast(undefined);
          }}
        >
          History
        </button>
        {children}
      </div>
      {hasHistory && <HistoryBar conversation={conversation} block={block} text={text} onPast={setPast} />}
    </>
  );
}
