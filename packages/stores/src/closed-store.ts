import { StoreError } from '@loom/kernel/store';

/** The error that every method rejects with after `close`. */
export function closedStore(): StoreError {
  return new StoreError(
    'store-closed',
    'the store is closed',
    'Open the store again, or close it only when all work is done.',
  );
}
