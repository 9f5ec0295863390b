import { createContext, use } from 'react';
import type { Loom } from './loom.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';

export const LoomContext = createContext<Loom | undefined>(undefined);
export const ConversationContext = createContext<OpenConversation | undefined>(undefined);

export function useLoom(): Loom {
  const loom = use(LoomContext);
  if (loom === undefined) throw new Error('this component stands outside of LoomContext');
  return loom;
}

/** The conversation that the component is part of. */
export function useConversation(): OpenConversation {
  const conversation = use(ConversationContext);
  if (conversation === undefined) throw new Error('this component stands outside of ConversationContext');
  return conversation;
}
