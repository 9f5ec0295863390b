import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';

/** A note that no model can answer: the reason, and what to do next. */
export function NoModelNote(): ReactElement {
  const { models, go } = useLoom();
  const { missing } = useStore(models.answerers);
  const useDemo = (): void => models.picked.set({ names: ['demo'], n: 1 });
  return (
    <div className="no-model">
      <span className="grow">
        {missing.length === 0 ? 'No model is set up yet.' : `${missing.join(', ')} cannot be asked now.`} Messages are
        kept.
      </span>
      <button type="button" className="button button-quiet" onClick={useDemo}>
        Use the demo
      </button>
      <button
        type="button"
        className="button button-primary"
        onClick={() => go({ name: 'settings', section: 'models' })}
      >
        Add a model
      </button>
    </div>
  );
}
