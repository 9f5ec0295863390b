import type { ReactElement } from 'react';
import { LineCounts } from '../blocks/changes/LineCounts.tsx';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { useWorkHost } from '../work/work-host.ts';
import { totals } from './change-set.ts';
import { useLatestChanges } from './use-latest-changes.ts';

/** The files that the turn at work has changed so far, in one line. They can be taken back once it is over. */
export function ChangesPin({ conversation }: { conversation: OpenConversation }): ReactElement | null {
  const { openReview } = useWorkHost();
  const { value, node } = useLatestChanges(conversation, 'turn');
  if (node === undefined || value === undefined || value.files.length === 0) return null;
  return (
    <div className="pin">
      <Icon name="change" />
      <span className="grow cut">
        <strong>{count(value.files.length, 'file')} changed</strong> <LineCounts {...totals(value.files)} />
      </span>
      <button type="button" className="text-button" onClick={() => openReview({ node, scope: 'turn' })}>
        Review changes
      </button>
    </div>
  );
}
