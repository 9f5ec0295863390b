import { useStore } from '../../stores/use-store.ts';
import { useBlockHost } from '../block-host.ts';

/** Returns true if something is open: as the reader left it, else as it is by default. */
export function useFold(key: string, isOpenByItself = false): [isOpen: boolean, toggle: () => void] {
  const { folds } = useBlockHost();
  const isOpen = useStore(folds.of(key)) ?? isOpenByItself;
  return [isOpen, () => folds.set(key, !isOpen)];
}
