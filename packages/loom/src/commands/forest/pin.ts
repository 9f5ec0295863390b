import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { count } from '../../terminal/progress.ts';
import { orFail } from '../../words/refusal-error.ts';
import { listRoots } from './ls.ts';

/** `loom pin`: pins conversations for the person, takes pins away, or lists what is pinned. */
export async function pinConversations(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const isRemoving = options.has('remove');
  if (words.length === 0) {
    if (isRemoving)
      throw new UsageError('missing-word', 'pin --remove needs a conversation', {
        advice: 'Without --remove and without a conversation it lists the pinned.',
      });
    return listRoots({ ...call, options: new Map([...options, ['pinned', true]]) });
  }
  return withPresentData({ dataDir, store }, async (loom) => {
    const roots = new Set<string>();
    for (const word of words) roots.add((await findPlace(loom, word)).root);
    const entries = [...roots].map((root) => ({ key: `pins/${root}`, ...(isRemoving ? {} : { value: {} }) }));
    const { changed } = orFail(await loom.call('home.set', { entries }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, changed })}\n`);
    else if (changed === 0) terminal.out('Nothing has changed.\n');
    else terminal.out(`${isRemoving ? 'Unpinned' : 'Pinned'} ${count(changed, 'conversation')}.\n`);
    return EXIT.ok;
  });
}
