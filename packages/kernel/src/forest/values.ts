import { z } from 'zod';

/** The results of a forest's operations. A repeated request gets the result that the log has kept, read by these schemas. */

export const rootValue = z.strictObject({ root: z.string() });
export const nodeValue = z.strictObject({ node: z.string() });
export const blockValue = z.strictObject({ block: z.string() });
export const appendValue = z.strictObject({ nodes: z.array(z.string()), created: z.array(z.string()) });
export const draftValue = z.strictObject({ node: z.string(), block_id: z.string() });
export const editValue = z.strictObject({
  node: z.string(),
  how: z.enum(['unchanged', 'in-place', 'extension', 'truncation', 'divergence', 'sibling']),
});
export const forkValue = z.strictObject({ node: z.string(), tip: z.string() });
export const removeValue = z.strictObject({ removed: z.array(z.string()), kept: z.array(z.string()) });
export const clientValue = z.strictObject({ client: z.int() });
export const undoValue = z.strictObject({ undone: z.int() });
