import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';

/** Whether a provider takes no money, because it runs on this machine. */
export function useIsFree(provider: string | undefined): boolean {
  const { providers } = useStore(useLoom().models.known);
  return providers.some(({ name, local }) => name === provider && local);
}
