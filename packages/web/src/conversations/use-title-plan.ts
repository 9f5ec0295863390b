import { useEffect, useState } from 'react';
import type { ResultOf } from '@loom/kernel';
import { useConversationsHost } from './conversations-host.ts';

export type TitlePlan = ResultOf<'root.suggest_titles'>;

/** The time that a selection rests before its price is asked for, in milliseconds. */
const patience = 250;

/** Asks how many of the selected conversations have no title, and what titles for them cost; `undefined` until that is known. */
export function useTitlePlan(ids: ReadonlySet<string>): TitlePlan | undefined {
  const { ask } = useConversationsHost();
  const [known, setKnown] = useState<{ ids: ReadonlySet<string>; plan: TitlePlan }>();
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(() => {
      const look = async (): Promise<void> => {
        const plan = await ask('root.suggest_titles', { roots: [...ids], dry_run: true });
        if (!isOld) setKnown({ ids, plan });
      };
      // The button stays away where titles may not be asked for.
      look().catch(() => {});
    }, patience);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [ids, ask]);
  return known?.ids === ids ? known.plan : undefined;
}
