import { z } from 'zod';

const count = z.number();

/** The result of an import, as the server reports it. */
export const importReport = z.object({
  files: count,
  files_unchanged: count,
  files_unknown: count,
  lines_raw: count,
  lines_reported: count,
  roots_added: count,
  nodes_added: count,
  /** The counts by the name of the program in origins. */
  sources: z.record(z.string(), z.object({ files: count, roots_added: count, nodes_added: count })),
  roots: z.array(z.string()),
  unknown_kinds: z.record(z.string(), count),
  warnings: z.array(z.string()),
  secrets: count.exactOptional(),
  cancelled: z.boolean(),
});
export type ImportReport = z.infer<typeof importReport>;
