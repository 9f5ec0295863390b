import { mergeText } from '@loom/blocks';
import type { LostEdit } from '@loom/sync';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { keptStore } from '../../stores/kept-store.ts';
import type { Store } from '../../stores/store.ts';
import { describeRefusal } from '../../words/refusals.ts';

/** An edit that could not be made: the text as its author left it, the one it was made from, and the reason. */
export interface Loss {
  readonly block: string;
  readonly base: string;
  readonly text: string;
  readonly why: string;
}

const known = new WeakMap<OpenConversation, Store<readonly Loss[]>>();

/** The lost edits of a conversation, kept in this browser until their author has said what becomes of them. */
export function lossesOf(conversation: OpenConversation, agent: string): Store<readonly Loss[]> {
  const before = known.get(conversation);
  if (before !== undefined) return before;
  const key = `loom-lost ${agent} ${conversation.root}`;
  const losses = keptStore<readonly Loss[]>(localStorage, key, { read: readLosses, otherwise: [] });
  known.set(conversation, losses);
  return losses;
}

export function readLosses(value: unknown): readonly Loss[] | undefined {
  return Array.isArray(value) && value.every(isLoss) ? value : undefined;
}

function isLoss(value: unknown): value is Loss {
  if (typeof value !== 'object' || value === null) return false;
  return ['block', 'base', 'text', 'why'].every((name) => typeof Reflect.get(value, name) === 'string');
}

export function lossOf({ block, base, text, refusal }: LostEdit): Loss {
  const isGone = refusal.reason === 'block-not-found';
  return { block, base, text, why: isGone ? 'The text was deleted meanwhile.' : describeRefusal(refusal) };
}

/** Returns the splices that put a lost edit into the text as it is now: what others wrote meanwhile stays. */
export function mergedBack({ base, text }: Loss, now: string): ReturnType<typeof mergeText> {
  return mergeText(base, now, text);
}
