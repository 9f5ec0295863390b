import type { ForeignConversation, ForeignItem, ForeignNode, Tally } from '../foreign/foreign.ts';

/** A message of an export, and the nodes it becomes: none, one, or several below each other. */
export interface ChatMessage {
  readonly id: string;
  readonly parent: string | undefined;
  readonly pieces: readonly ChatPiece[];
}

export type ChatPiece = Omit<ForeignNode, 'conversation' | 'parent'>;

/**
 * Returns a conversation as items, parents before children and siblings in their order. Messages that become no node are passed over: their children
 * hang below the message above. Children of a missing message, and messages in a cycle, begin at the top.
 */
export function chatItems(
  conversation: ForeignConversation,
  messages: readonly ChatMessage[],
  tally: Tally,
): ForeignItem[] {
  if (messages.every(({ pieces }) => pieces.length === 0)) {
    tally.remark('A conversation in which nothing was said is left out.');
    return [];
  }
  const items: ForeignItem[] = [{ type: 'conversation', conversation }];
  const byId = new Map(messages.map((message) => [message.id, message]));
  const below = new Map<string, ChatMessage[]>();
  const tops: ChatMessage[] = [];
  for (const message of byId.values()) {
    const { parent } = message;
    if (parent !== undefined && byId.has(parent)) {
      const siblings = below.get(parent);
      if (siblings === undefined) below.set(parent, [message]);
      else siblings.push(message);
    } else {
      if (parent !== undefined) tally.remark('A message is below one that is not in the export: it begins at the top.');
      tops.push(message);
    }
  }
  const met = new Set<ChatMessage>();
  const write = (top: ChatMessage): void => {
    const pending: { message: ChatMessage; parent: string | undefined }[] = [{ message: top, parent: undefined }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { message } = next;
      if (met.has(message)) continue;
      met.add(message);
      let { parent } = next;
      for (const piece of message.pieces) {
        const place = parent === undefined ? {} : { parent };
        items.push({ type: 'node', node: { conversation: conversation.id, ...place, ...piece } });
        parent = piece.id;
      }
      const children = below.get(message.id) ?? [];
      for (const child of [...children].reverse()) pending.push({ message: child, parent });
    }
  };
  for (const top of tops) write(top);
  for (const message of byId.values()) {
    if (met.has(message)) continue;
    tally.remark('Messages are above each other in a circle: one of them begins at the top.');
    write(message);
  }
  return items;
}
