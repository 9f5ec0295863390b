import { z } from 'zod';

/** A line printed by a writer once something is durable. */
export const acknowledgement = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), root: z.string() }),
  z.strictObject({ type: z.literal('said'), seq: z.int(), node: z.string(), text: z.string() }),
  z.strictObject({ type: z.literal('pair'), number: z.int() }),
  z.strictObject({ type: z.literal('words'), block: z.string(), text: z.string() }),
]);
export type Acknowledgement = z.infer<typeof acknowledgement>;

/** The words that a model says, by their place: what was streamed can be told without having kept it. */
export function word(index: number): string {
  return index % 9 === 8 ? `w${index}\n` : `w${index} `;
}
