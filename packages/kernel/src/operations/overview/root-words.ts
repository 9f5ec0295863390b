import { z } from 'zod';
import type { RootSummary } from '../../forest/root-head.ts';

/** The fields by which a person knows a conversation, for lists over all of them. */
export const rootWords = {
  root: z.string().describe('The conversation it belongs to.'),
  root_title: z.string().exactOptional(),
  opening: z.string().describe('How the first message of the conversation begins.'),
};

export function aboutRoot({ id, title, opening }: Pick<RootSummary, 'id' | 'title' | 'opening'>) {
  return { root: id, ...(title === undefined ? {} : { root_title: title }), opening };
}
