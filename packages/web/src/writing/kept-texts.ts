import { useEffect, useState } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { usePart } from '../stores/use-part.ts';
import { useWorkHost } from '../work/work-host.ts';
import { allowEditing, rootsWithTyping } from './allow-editing.ts';

/**
 * Returns the texts of a conversation that are kept on this computer with what was typed in them, if they were found before the
 * conversation: without a server they are all that is there of it.
 */
export function useKeptTexts(conversation: OpenConversation): readonly string[] {
  const { agent, attempt } = useWorkHost();
  const { root, replica, watch } = conversation;
  const isUnknown = usePart(watch.whole, () => replica.cursor === undefined);
  const [blocks, setBlocks] = useState<readonly string[]>([]);
  useEffect(() => {
    if (!isUnknown) return;
    attempt(async () => {
      if (!(await rootsWithTyping(agent)).includes(root)) return;
      await allowEditing(conversation, agent);
      if (replica.cursor === undefined) setBlocks(replica.unsaved);
    });
  }, [conversation, root, replica, isUnknown, agent, attempt]);
  return blocks;
}
