import { useConversationsHost } from './conversations-host.ts';
import { endOfJob } from './end-of-job.ts';
import { describeTitles, titleButton, titlesFound } from './title-words.ts';
import { useTitlePlan } from './use-title-plan.ts';

/** Offers to ask a model for titles of the selected conversations that have none, in words with the price; `undefined` if none lacks one. */
export function useAddTitles(
  ids: ReadonlySet<string>,
  onDone: () => void,
): { readonly label: string; readonly run: () => void } | undefined {
  const host = useConversationsHost();
  const plan = useTitlePlan(ids);
  if (plan === undefined || plan.untitled === 0) return undefined;
  const { attempt, ask, notices } = host;
  const find = async (): Promise<void> => {
    const { job } = await ask('root.suggest_titles', { roots: [...ids] });
    onDone();
    if (job === undefined) return;
    const { result, words } = await endOfJob(host, job);
    const found = titlesFound.safeParse(result);
    notices.tell(found.success ? describeTitles(found.data) : `The search for titles ended: ${words}`);
  };
  return {
    label: titleButton(plan),
    run() {
      if (plan.model !== undefined) attempt(find);
      else notices.tell('No model is set up that could find titles. Add one in Settings, under Models.');
    },
  };
}
