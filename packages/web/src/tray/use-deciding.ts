import { useMemo, useState } from 'react';
import { useLoom } from '../app/loom-context.ts';
import type { BlockHost, Decision } from '../blocks/block-host.ts';

/** Returns the services for a card that is decided outside of its conversation, and the decision, once it is made here. */
export function useDeciding(directory: string | undefined): {
  host: BlockHost;
  decided: Decision['decision'] | undefined;
} {
  const loom = useLoom();
  const [decided, setDecided] = useState<Decision['decision']>();
  const host = useMemo(
    () => ({
      ...loom.blocks,
      folder: () => directory,
      async decide(decision: Decision): Promise<void> {
        await loom.blocks.decide(decision);
        setDecided(decision.decision);
        loom.waiting.refresh();
      },
    }),
    [loom, directory],
  );
  return { host, decided };
}

/** The outcome of a call, in a word. */
export const decidedWords: { readonly [Kind in Decision['decision']]: string } = {
  approved: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
};
