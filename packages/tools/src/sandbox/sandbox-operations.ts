import { z } from 'zod';
import { defineOperation } from '@loom/kernel';
import type { Sandbox } from './sandbox.ts';

/** The operation about the sandbox of this machine. */
export function sandboxOperations(sandbox: () => Promise<Sandbox>) {
  return [
    defineOperation({
      name: 'sandbox.get',
      summary: 'Says if commands run in a sandbox on this machine, and what it keeps out.',
      params: () => z.strictObject({}),
      result: () =>
        z.strictObject({
          available: z.boolean(),
          kind: z.enum(['bubblewrap', 'sandbox-exec']).exactOptional(),
          reason: z.string().exactOptional().describe('Why there is none, or why it is to be trusted less.'),
          holds: z.array(z.string()).describe('What it keeps out, in sentences.'),
        }),
      effect: 'reads',
      run: async () => {
        const { holds, ...state } = await (await sandbox()).state();
        return { ok: true, value: { ...state, holds: [...holds] } };
      },
    }),
  ] as const;
}
