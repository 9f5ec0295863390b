import { z } from 'zod';

/** A line printed by a writer once something is durable. */
export const acknowledgement = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), root: z.string() }),
  z.strictObject({ type: z.literal('said'), seq: z.int(), node: z.string(), text: z.string() }),
  z.strictObject({ type: z.literal('pair'), number: z.int() }),
  z.strictObject({ type: z.literal('words'), block: z.string(), text: z.string() }),
]);
export type Acknowledgement = z.infer<typeof acknowledgement>;

/** Returns the word of a model at an index: streamed text can be checked without having kept it. */
export function word(index: number): string {
  return index % 9 === 8 ? `w${index}\n` : `w${index} `;
}
