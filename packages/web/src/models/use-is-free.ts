import { useConversation, useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';

/** Whether a provider takes no money, because it runs on this machine. */
export function useIsFree(provider: string | undefined): boolean {
  const { providers } = useStore(useLoom().models.known);
  return providers.some(({ name, local }) => name === provider && local);
}

/** Whether the models that wrote the ends of branches take no money. */
export function useAreFree(): (leaves: readonly string[]) => boolean {
  const { providers } = useStore(useLoom().models.known);
  const { nodes } = useConversation().replica;
  const local = new Set(providers.flatMap((provider) => (provider.local ? [provider.name] : [])));
  return (leaves) =>
    leaves.every((leaf) => {
      const source = nodes.get(leaf)?.source;
      return source?.type === 'model' && local.has(source.provider);
    });
}
