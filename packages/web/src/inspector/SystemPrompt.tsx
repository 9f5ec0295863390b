import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { usePart } from '../stores/use-part.ts';

/** The beginning of the instructions that models read first, and the way to all of it. */
export function SystemPrompt(): ReactElement {
  const { dialog } = useLoom().workspace;
  const { root, watch } = useConversation();
  const prompt = usePart(watch.whole, (whole) => whole.root.config['systemPrompt']);
  const text = typeof prompt === 'string' ? prompt : '';
  return (
    <section className="inspector-section">
      <h2>System prompt</h2>
      <p className="inspector-note system-prompt-start">{text === '' ? 'There is none.' : text.slice(0, 600)}</p>
      <button type="button" className="button" onClick={() => dialog.set({ what: 'system-prompt', root })}>
        {text === '' ? 'Write one…' : 'Show and edit…'}
      </button>
    </section>
  );
}
