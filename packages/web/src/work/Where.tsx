import type { ReactElement } from 'react';
import { useMay } from './use-may.ts';
import { useChosenAgent } from './chosen-agent.ts';
import { FolderButton } from './folders/FolderButton.tsx';
import { mayWords } from './mode-words.ts';
import { WorktreeChoice } from './folders/WorktreeChoice.tsx';
import { useWorkPlace } from './conversation-mode.ts';
import { useWorkHost } from './work-host.ts';

/** The line above the field of a new conversation: its folder, and what may happen there without a question. Owners alone choose it. */
export function Where(): ReactElement | null {
  const { beginning } = useWorkHost();
  const { folder, mode } = useWorkPlace();
  const agent = useChosenAgent();
  if (useMay('folder.list') !== true) return null;
  return (
    <div className="where">
      <FolderButton folder={folder} onChoose={(path) => beginning.folder.set(path)} />
      {folder !== '' && <WorktreeChoice folder={folder} />}
      <span className="grow" />
      <span className="where-may">{mayWords(mode, folder !== '', agent)}</span>
    </div>
  );
}
