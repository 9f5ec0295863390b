import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { siblingsOf } from '../conversation/branches.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';

/** Shows which of several sibling messages is on display, and the ways to its neighbors. */
export function SiblingSwitcher({ node }: { node: string }): ReactElement | null {
  const { go } = useLoom();
  const { root, shape } = useConversation();
  const { all, at } = siblingsOf(useStore(shape), node);
  if (all.length < 2) return null;
  const step = (to: number, label: string, icon: 'left' | 'right'): ReactElement => {
    const other = all[to];
    return (
      <button
        type="button"
        aria-label={label}
        disabled={other === undefined}
        onClick={() => other !== undefined && go({ name: 'conversation', root, node: other })}
      >
        <Icon name={icon} small />
      </button>
    );
  };
  return (
    <span className="siblings">
      {step(at - 1, 'Previous version of this message', 'left')}
      <span>
        {at + 1}/{all.length}
      </span>
      {step(at + 1, 'Next version of this message', 'right')}
    </span>
  );
}
