import { z } from 'zod';
import { useAsked } from '../stores/use-asked.ts';
import type { Mode } from './mode-words.ts';
import { useMay } from './use-may.ts';
import { useWorkHost } from './work-host.ts';

const listed = z.object({ mode: z.enum(['plan', 'ask', 'edit', 'sandbox']) });

/** Returns the mode of conversations that have no other, as the settings say; the careful one until that is known. */
export function useUsualMode(): Mode {
  const { ask } = useWorkHost();
  const key = useMay('permission.list') === true ? 'usual mode' : undefined;
  const { value } = useAsked(key, async () => listed.parse(await ask('permission.list', { limit: 1 })).mode);
  return value ?? 'ask';
}
