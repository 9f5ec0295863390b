import { useState } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { later } from '../ui/later.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { openDraft } from './drafts/drafts.ts';

// Without a server it comes from the worker, which has it from when the text was opened.
const BlockEditor = later(async () => (await import('./BlockEditor.tsx')).BlockEditor);

/** The texts that their reader was writing when the server went away: they can be written on until it is back, and after that. */
export function KeptWriting({
  conversation,
  blocks,
}: {
  conversation: OpenConversation;
  blocks: readonly string[];
}): ReactElement | null {
  const isLive = usePart(conversation.watch.whole, ({ status }) => status === 'live');
  const draft = useStore(openDraft);
  const open = useStore(useWorkHost().openBlock)?.block;
  const [closed, setClosed] = useState<readonly string[]>([]);
  // An open draft, or a block that its reader opens again, has its own place.
  const left = blocks.filter((block) => !closed.includes(block) && block !== open && !(isLive && block === draft));
  if (left.length === 0) return null;
  return (
    <section className="kept-writing scroll" aria-label="What you were writing">
      <p className="aside" role="status">
        {isLive
          ? 'The server is back. What you typed is merged into the text.'
          : 'The server does not answer. This is what you were writing, with the text as it was; the rest is there when it is back.'}
      </p>
      {left.map((block) => (
        <BlockEditor
          key={block}
          conversation={conversation}
          block={block}
          onClose={() => setClosed([...closed, block])}
        />
      ))}
    </section>
  );
}
