import { z } from 'zod';

/** The parameters of `shell`, as its JSON schema says. */
export const shellParameters = z.strictObject({
  command: z
    .string()
    .trim()
    .min(1)
    .refine((line) => !line.includes('\0'), { error: 'must not contain the character NUL' }),
  timeout_ms: z.int().positive().max(600_000).exactOptional(),
  background: z.boolean().exactOptional(),
  network: z.boolean().exactOptional(),
  description: z.string().exactOptional(),
});
export type ShellParameters = z.infer<typeof shellParameters>;

/** The parameters of `shell_output`. */
export const outputParameters = z.strictObject({ id: z.string().min(1), after: z.int().nonnegative().exactOptional() });

/** The parameters of `shell_kill`. */
export const killParameters = z.strictObject({ id: z.string().min(1) });
