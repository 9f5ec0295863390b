import { z } from 'zod';
import { useAsked } from '../stores/use-asked.ts';
import type { Asked } from '../stores/use-asked.ts';
import { useWorkHost } from './work-host.ts';

const sandboxState = z.object({
  available: z.boolean(),
  kind: z.string().optional(),
  reason: z.string().optional(),
  holds: z.array(z.string()).default([]),
});

/** The sandbox of the server's computer: its kind and what it keeps out, or the reason there is none. */
export type SandboxState = z.infer<typeof sandboxState>;

export function useSandbox(): Asked<SandboxState> {
  const { ask } = useWorkHost();
  return useAsked('sandbox', async () => sandboxState.parse(await ask('sandbox.get', {})));
}
