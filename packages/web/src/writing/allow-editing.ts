import { createWebOutboxStorage } from '@loom/client';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { lazily } from '../ui/lazily.ts';

const loadDocuments = lazily(() => import('./documents.ts'));

/** Lets the texts of a conversation be edited, once the documents are loaded. What is typed is kept in this browser until it is saved. */
export async function allowEditing(conversation: OpenConversation, agent: string): Promise<void> {
  const { createTexts } = await loadDocuments();
  await conversation.allowEditing({
    createTexts,
    storage: createWebOutboxStorage(localStorage, agent, window),
  });
}
