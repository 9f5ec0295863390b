import { z } from 'zod';

/** What the operations of a forest answer with. A request that is repeated gets what the log has kept of it, read by these. */

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
