import { StoreError } from '@loom/kernel/store';

/** What every method answers after `close`. */
export function closedStore(): StoreError {
  return new StoreError(
    'store-closed',
    'the store is closed',
    'Open the store again, or close it only when all work is done.',
  );
}
