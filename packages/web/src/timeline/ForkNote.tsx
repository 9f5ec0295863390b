import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { countBelow } from '../conversation/branches.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count, grouped } from '../words/amounts.ts';

/** Says what continues elsewhere, so that a branch that is not shown is not taken for lost. */
export function ForkNote({ node, next }: { node: string; next: string | undefined }): ReactElement | null {
  const { go, preferences, workspace } = useLoom();
  const { root, shape: store } = useConversation();
  const shape = useStore(store);
  const others = (shape.children.get(node) ?? []).filter((id) => id !== next);
  const [other] = others.slice(-1);
  if (other === undefined) return null;
  const messages = others.reduce((sum, id) => sum + countBelow(shape, id), 0);
  const show = (): void => {
    if (others.length > 1) {
      workspace.tab.set('tree');
      preferences.hasInspector.set(true);
    }
    go({ name: 'conversation', root, node: other });
  };
  return (
    <div className="fork-note">
      <Icon name="fork" />
      <span>{next === undefined ? openWords(messages) : forkWords(messages, others.length)}</span>
      <button type="button" className="text-button" onClick={show}>
        {messages === 1 ? 'Show it' : 'Show them'}
      </button>
    </div>
  );
}

function forkWords(messages: number, branches: number): string {
  const continuing = messages === 1 ? 'message continues' : 'messages continue';
  return `${grouped(messages)} ${continuing} on ${count(branches, 'other branch', 'other branches')}`;
}

function openWords(messages: number): string {
  const stay = messages === 1 ? 'stays as it is' : 'stay as they are';
  return `New branch. What you write next stands here; ${count(messages, 'message')} below ${stay}.`;
}
