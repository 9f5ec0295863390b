import { useState } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { Segments } from '../ui/Segments.tsx';
import { useWorkPlace } from '../work/conversation-mode.ts';
import { MergeBack } from '../work/folders/MergeBack.tsx';
import { useMay } from '../work/use-may.ts';
import { useWorkHost } from '../work/work-host.ts';
import { ChangedFileRow } from './ChangedFileRow.tsx';
import { ChangeNotes } from './ChangeNotes.tsx';
import { inOrder } from './change-set.ts';
import { UndoDialog } from './UndoDialog.tsx';
import { useLatestChanges } from './use-latest-changes.ts';

const scopes = [
  { value: 'turn', label: 'Turn' },
  { value: 'branch', label: 'Branch' },
] as const;

/** The files that the last turn, or the whole branch, has changed, with the ways to review them and to take them back. */
export function ChangesTab({ conversation }: { conversation: OpenConversation }): ReactElement {
  const { openReview } = useWorkHost();
  const [wanted, setScope] = useState<'turn' | 'branch'>('turn');
  const { hasTurns } = useLatestChanges(conversation, 'turn');
  const scope = hasTurns ? wanted : 'branch';
  const { value, failure, node, isRunning } = useLatestChanges(conversation, scope);
  const mayUndo = useMay('turn.undo_files') === true && !isRunning;
  const { folder } = useWorkPlace();
  const [isUndoing, setUndoing] = useState(false);
  const files = value === undefined ? [] : inOrder(value.files);
  const title = scope === 'branch' ? 'On this branch' : isRunning ? 'This turn so far' : 'In the last turn';
  return (
    <div className="scroll inspector-scroll">
      <div className="changes-tab-head">
        <h2 className="grow">{title}</h2>
        {hasTurns && <Segments label="What is shown" choices={scopes} chosen={scope} onChoose={setScope} />}
      </div>
      {failure !== undefined && <p className="inspector-note failure">{failure}</p>}
      {node === undefined && (
        <p className="inspector-note">Files that models change in the folder of this conversation are listed here.</p>
      )}
      {value !== undefined && files.length + value.notes.length === 0 && (
        <p className="inspector-note">No files were changed.</p>
      )}
      <ChangeNotes notes={value?.notes} />
      <ul>
        {files.map((file) => (
          <ChangedFileRow
            key={file.path}
            file={file}
            onOpen={node === undefined ? undefined : () => openReview({ node, scope, file: file.path })}
          />
        ))}
      </ul>
      {node !== undefined && files.length > 0 && (
        <div className="inspector-buttons">
          <button type="button" className="button button-primary" onClick={() => openReview({ node, scope })}>
            Review changes
          </button>
          {mayUndo && (
            <button type="button" className="button" onClick={() => setUndoing(true)}>
              Undo…
            </button>
          )}
        </div>
      )}
      {folder !== '' && (
        <div className="inspector-buttons">
          <MergeBack folder={folder} isOff={isRunning} />
        </div>
      )}
      {isUndoing && (
        <UndoDialog root={conversation.root} files={files} notes={value?.notes} onClose={() => setUndoing(false)} />
      )}
    </div>
  );
}

/** The number of files that the last turn has changed, or the branch where no turn is Loom's, beside the name of the tab. */
export function ChangesCount({ conversation }: { conversation: OpenConversation }): ReactElement | null {
  const { hasTurns } = useLatestChanges(conversation, 'turn');
  const { value } = useLatestChanges(conversation, hasTurns ? 'turn' : 'branch');
  if (value === undefined || value.files.length === 0) return null;
  return <span className="tab-count">{value.files.length}</span>;
}
