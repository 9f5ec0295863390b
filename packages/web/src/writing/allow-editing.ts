import { createWebOutboxStorage, rootsOfKeptTexts } from '@loom/client';
import type { OutboxStorage } from '@loom/client';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { Store } from '../stores/store.ts';
import { lazily } from '../ui/lazily.ts';
import { lossesOf, lossOf } from './losses/losses.ts';

// A page that was written in before has them, also without a server.
const loadDocuments = lazily(() => import('./documents.ts'), true);

/** False once this browser has refused to keep what is typed, such as when its storage is full. */
export const isTypingKept = new Store(true);

/** Lets the texts of a conversation be edited, once the documents are loaded. What is typed is kept in this browser until it is saved. */
export async function allowEditing(conversation: OpenConversation, agent: string): Promise<void> {
  const { createTexts } = await loadDocuments();
  await conversation.allowEditing({
    createTexts,
    storage: storageOf(agent),
    onStorageFailure: () => isTypingKept.set(false),
    onLost: (edit) => lossesOf(conversation, agent).update((losses) => [...losses, lossOf(edit)]),
  });
}

/** Returns the conversations in which something was typed in this browser that is not saved. */
export function rootsWithTyping(agent: string): Promise<readonly string[]> {
  return rootsOfKeptTexts(storageOf(agent));
}

function storageOf(agent: string): OutboxStorage {
  return createWebOutboxStorage(localStorage, agent, window);
}
