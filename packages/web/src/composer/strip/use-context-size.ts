import { useEffect, useState } from 'react';
import type { TurnView } from '@loom/sync';
import { useLoom } from '../../app/loom-context.ts';
import { findInvalidThinking } from '../../blocks/invalid-thinking.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import type { ModelInfo } from '../../models/model-answers.ts';
import { Store } from '../../stores/store.ts';
import { useStore } from '../../stores/use-store.ts';
import type { ContextSize } from './strip-figures.ts';

const noPath = new Store<readonly string[]>([]);

/** Returns the amount a model would read at the end of the branch on display. Asks when a round is over, never while text comes in. */
export function useContextSize(
  conversation: OpenConversation | undefined,
  model: ModelInfo | undefined,
  turn: TurnView | undefined,
): ContextSize | undefined {
  const loom = useLoom();
  const node = useStore(conversation?.path ?? noPath).at(-1);
  const [size, setSize] = useState<ContextSize>();
  const isRunning = turn !== undefined;
  useEffect(() => {
    if (node === undefined || model === undefined) {
      setSize(undefined);
      return undefined;
    }
    const timer = setTimeout(() => {
      const { provider, model: name } = model;
      const asked = loom.ask('context.size', { node, provider, model: name, tools: loom.tools.names() });
      // The strip does not show failures: they come up again when something is sent.
      asked.then(setSize, () => setSize(undefined));
      asked
        .then(({ invalid_thinking: count }) => conversation && findInvalidThinking(loom, conversation, node, count))
        .catch(() => {});
    }, 250);
    return () => clearTimeout(timer);
  }, [loom, conversation, node, model, isRunning]);
  return size;
}
