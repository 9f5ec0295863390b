import { findKeys, maskSecret } from '@loom/blocks';
import type { Loom } from '../app/loom.ts';
import { say } from './sending.ts';
import type { SayMode } from './sending.ts';

/** Sends the text of the field. Text that looks like a key needs a confirmation first: it would go to a provider, and stay in the conversation. */
export async function askToSay(loom: Loom, mode: SayMode): Promise<void> {
  const { text, attachments } = loom.composer.draft.getSnapshot();
  const quoted = attachments.flatMap((attached) => (attached.kind === 'quote' ? [attached.text] : []));
  const keys = findKeys([text, ...quoted].join('\n'));
  if (keys.length === 0) return say(loom, mode);
  const names = keys.slice(0, 3).map(maskSecret).join(', ');
  loom.workspace.wish.set({
    title: keys.length === 1 ? 'Send what looks like a key?' : 'Send what looks like keys?',
    words: `${names}. The model would read it, and it would stay in this conversation. Keys for Loom belong in Settings, under Models.`,
    action: 'Send anyway',
    run: () => loom.attempt(() => say(loom, mode)),
  });
  return undefined;
}
