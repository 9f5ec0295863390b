import { useConversation, useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { takesNoMoney } from './model-words.ts';

/** Returns true if a provider costs no money, because it runs on this machine. */
export function useIsFree(provider: string | undefined): boolean {
  const { providers } = useStore(useLoom().models.known);
  return providers.some((known) => known.name === provider && takesNoMoney(known));
}

/** Returns a check for branches whose last models cost no money. */
export function useAreFree(): (leaves: readonly string[]) => boolean {
  const { providers } = useStore(useLoom().models.known);
  const { nodes } = useConversation().replica;
  const free = new Set(providers.filter(takesNoMoney).map(({ name }) => name));
  return (leaves) =>
    leaves.every((leaf) => {
      const source = nodes.get(leaf)?.source;
      return source?.type === 'model' && free.has(source.provider);
    });
}
