import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useAsked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { CodeText } from './CodeText.tsx';

interface SentProps {
  node: string;
  provider: string;
  model: string;
  /** A number that changes when something has changed. */
  stamp: number;
}

/** The messages as a model would be sent them, on demand. */
export function SentMessages({ node, provider, model, stamp }: SentProps): ReactElement {
  const { ask, workspace } = useLoom();
  const isOpen = useStore(workspace.hasRequest);
  const key = isOpen ? JSON.stringify([node, provider, model, stamp]) : undefined;
  const { value, failure } = useAsked(key, () => ask('context.get', { node, provider, model }));
  return (
    <section className="inspector-section">
      <div className="inspector-buttons">
        <button
          type="button"
          className="button"
          aria-expanded={isOpen}
          onClick={() => workspace.hasRequest.set(!isOpen)}
        >
          {isOpen ? 'Hide the request' : 'See the exact request'}
        </button>
        <button type="button" className="button button-quiet" onClick={() => workspace.tab.set('raw')}>
          Earlier requests
        </button>
      </div>
      {failure !== undefined && <p className="inspector-failure">{failure}</p>}
      {isOpen && value !== undefined && <CodeText label="Request">{JSON.stringify(value, null, 2)}</CodeText>}
    </section>
  );
}
