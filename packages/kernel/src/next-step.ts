import { z } from 'zod';
import { once } from './once.ts';

const id = z.string();

function step<Type extends string, Fields extends z.core.$ZodLooseShape>(type: Type, fields: Fields) {
  return z.object({ type: z.literal(type), ...fields });
}

/** The next step after a refusal, as data: a page makes a button of it. */
export const nextStepSchema = once(() =>
  z.discriminatedUnion('type', [
    step('list-roots', {}),
    step('list-nodes', {}),
    step('list-blocks', {}),
    /** Name one of these instead. */
    step('choose', { ids: z.array(id) }),
    step('read', { block: id }),
    step('list-versions', { block: id }),
    /** A node or a root. */
    step('restore', { id }),
    step('remove', { node: id }),
    /** Lets the message above be answered again. */
    step('retry', { node: id }),
    /** Ends a block that is being written. */
    step('finish', { block: id }),
    /** Edits a text that is finished. */
    step('edit', { block: id }),
    step('stop-turns', { turns: z.array(id) }),
    step('remove-bookmarks', { nodes: z.array(id) }),
    /** Says it as a separate message. */
    step('append', {}),
    step('add-client', {}),
    step('ask-again', {}),
  ]),
);

export type NextStep = z.infer<ReturnType<typeof nextStepSchema>>;
