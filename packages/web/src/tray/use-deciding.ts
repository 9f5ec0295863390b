import { useMemo, useState } from 'react';
import { noteApproval } from '../phone/install.ts';
import { useLoom } from '../app/loom-context.ts';
import type { BlockHost, Decision } from '../blocks/block-host.ts';

/** Returns the services for a card that is decided outside of its conversation, and the decision, once it is made here. */
export function useDeciding(
  node: string,
  directory: string | undefined,
): {
  host: BlockHost;
  decided: Decision['decision'] | undefined;
} {
  const loom = useLoom();
  const [decided, setDecided] = useState(() => decidedHere.get(node));
  const host = useMemo(
    () => ({
      ...loom.blocks,
      folder: () => directory,
      async decide(decision: Decision): Promise<void> {
        await loom.blocks.decide(decision);
        decidedHere.set(node, decision.decision);
        setDecided(decision.decision);
        if (decision.decision === 'approved') noteApproval(loom.preferences.installHint);
        loom.waiting.refresh();
      },
    }),
    [loom, node, directory],
  );
  return { host, decided };
}

/** The calls that were decided in this page: one that is drawn again still says how. */
const decidedHere = new Map<string, Decision['decision']>();

/** The outcome of a call, in a word. */
export const decidedWords: { readonly [Kind in Decision['decision']]: string } = {
  approved: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
};
