import type { ListedRoot, LoomEngine } from '@loom/kernel';
import type { PushNews } from './pushes.ts';

interface TurnNewsOptions {
  engine: Pick<LoomEngine, 'list' | 'call'>;
  newId: () => string;
  tell: (news: PushNews) => Promise<void>;
  onFailure: (error: unknown) => void;
}

interface Seen {
  readonly needs: ReadonlySet<string>;
  readonly isBusy: boolean;
}

/** Follows the list of conversations for calls that begin to wait for a person, and for turns that end. Returns how to stop. */
export function followTurns({ engine, newId, tell, onFailure }: TurnNewsOptions): () => void {
  const seen = new Map<string, Seen>();
  const look = async (root: ListedRoot): Promise<void> => {
    // A sub-agent reports to the conversation that sent it out.
    if (root.sender !== undefined) return;
    const before = seen.get(root.id);
    const now = { needs: new Set(root.needs), isBusy: root.running.length + root.needs.length > 0 };
    if (now.isBusy) seen.set(root.id, now);
    else seen.delete(root.id);
    if (before?.isBusy === true && !now.isBusy)
      await tell({ what: 'ended', path: `/r/${encodeURIComponent(root.id)}` });
    const added = root.needs.filter((node) => before?.needs.has(node) !== true);
    if (added.length === 0) return;
    // A call that is allowed anyway is about to run, and waits for nobody.
    const waiting = new Set(await waitingIn(engine, root.id, newId()));
    for (const node of added) {
      if (waiting.has(node)) await tell({ what: 'needs-you', path: `/needs-you#${encodeURIComponent(node)}` });
    }
  };
  return engine.list.subscribe((items) => {
    for (const item of items) void look(item).catch(onFailure);
  });
}

async function waitingIn(engine: Pick<LoomEngine, 'call'>, root: string, id: string): Promise<string[]> {
  const caller = { agent: 'loom', type: 'tool', role: 'reader', roots: [root], id, door: 'library' } as const;
  const outcome = await engine.call('turn.waiting', caller, {});
  return outcome.ok ? outcome.value.items.map(({ node }) => node) : [];
}
