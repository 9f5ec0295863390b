import type { ReactElement } from 'react';
import { useConversationsHost } from './conversations-host.ts';
import { endOfJob } from './end-of-job.ts';
import { Icon } from '../ui/Icon.tsx';
import { describeTitles, titleButton, titlesFound } from './title-words.ts';
import { useTitlePlan } from './use-title-plan.ts';

/** Asks a model for titles of the selected conversations that have none; the price stands on the button. */
export function AddTitles({ ids, onDone }: { ids: ReadonlySet<string>; onDone: () => void }): ReactElement | null {
  const host = useConversationsHost();
  const plan = useTitlePlan(ids);
  if (plan === undefined || plan.untitled === 0) return null;
  const { attempt, ask, notices } = host;
  const find = async (): Promise<void> => {
    const { job } = await ask('root.suggest_titles', { roots: [...ids] });
    onDone();
    if (job === undefined) return;
    const { result, words } = await endOfJob(host, job);
    const found = titlesFound.safeParse(result);
    notices.tell(found.success ? describeTitles(found.data) : `The search for titles ended: ${words}`);
  };
  return (
    <button
      type="button"
      className="button button-quiet hide-narrow"
      onClick={() => {
        if (plan.model !== undefined) attempt(find);
        else notices.tell('No model is set up that could find titles. Add one in Settings, under Models.');
      }}
    >
      <Icon name="edit" />
      {titleButton(plan)}
    </button>
  );
}
