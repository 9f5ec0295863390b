import { useCallback, useEffect, useState } from 'react';
import { z } from 'zod';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';

const process = z.object({
  id: z.string(),
  node: z.string(),
  command: z.string(),
  started_at: z.string(),
  state: z.enum(['running', 'exited', 'stopped']),
  exit_code: z.number().optional(),
  tail: z.string(),
});
/** A command that goes on behind the conversation. */
export type BackgroundCommand = z.infer<typeof process>;
const processes = z.object({ items: z.array(process) });

/** The time between two looks while commands run, in milliseconds. */
const pause = 2000;

/** Returns the running background commands of a conversation. `version` says that more may have been started; while some run it looks again. */
export function useProcesses(
  root: string,
  version: string,
): { running: readonly BackgroundCommand[]; look: () => Promise<void> } {
  const { ask } = useWorkHost();
  const mayLook = useMay('process.list') === true;
  const [running, setRunning] = useState<readonly BackgroundCommand[]>([]);
  const look = useCallback(async () => {
    if (!mayLook) return;
    const { items } = processes.parse(await ask('process.list', { root }));
    setRunning(items.filter(({ state }) => state === 'running'));
  }, [ask, mayLook, root]);
  const isRunning = running.length > 0;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const again = (): void => {
      if (!isShown || !isRunning) return;
      timer = setTimeout(() => {
        // A page in the background looks when it is shown again.
        if (document.hidden) again();
        else
          void look()
            .catch(() => {})
            .then(again);
      }, pause);
    };
    void look()
      .catch(() => {})
      .then(again);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [look, version, isRunning]);
  return { running, look };
}
