import { useMemo } from 'react';
import { focusComposer, offerComposer } from '../composer/focus.ts';
import { sayText } from '../composer/sending.ts';
import type { WorkHost } from '../work/work-host.ts';
import { useLoom } from './loom-context.ts';

/** Returns the services for folders, modes, permissions and reviews, backed by the server. */
export function usePageWorkHost(): WorkHost {
  const loom = useLoom();
  return useMemo(() => {
    let operations: Promise<ReadonlySet<string>> | undefined;
    return {
      ask: (name, params) => loom.ask(name, params),
      call: loom.ask,
      attempt: loom.attempt,
      tell: (text, action) => loom.notices.tell(text, action),
      role: () => loom.blocks.role(),
      operations() {
        operations ??= loom.ask('operation.list', {}).then(
          ({ items }) => new Set(items.map(({ name }) => name)),
          (error: unknown) => {
            operations = undefined;
            throw error;
          },
        );
        return operations;
      },
      agent: loom.agent,
      beginning: loom.beginning,
      conversation: loom.conversation,
      tools: loom.tools,
      answerers: loom.models.answerers,
      known: loom.models.known,
      focusComposer,
      hasInspector: loom.preferences.hasInspector,
      hasLetterKeys: loom.preferences.hasLetterKeys,
      say: (text) => sayText(loom, text),
      openReview({ node, scope, file }, { isSame = false } = {}) {
        const root = loom.conversation.getSnapshot()?.root;
        if (root !== undefined) {
          loom.go({ name: 'review', root, node, scope, ...(file === undefined ? {} : { file }) }, { replace: isSame });
        }
      },
      showConversation: (root) => loom.go({ name: 'conversation', root }),
      showNode: (root, node) => loom.go({ name: 'conversation', root, node }),
      openBlock: loom.workspace.editing,
      openText: (root, block) => loom.go({ name: 'text', root, block }),
      leaveReview() {
        const root = loom.conversation.getSnapshot()?.root;
        if (root !== undefined) loom.go({ name: 'conversation', root });
        offerComposer();
      },
    };
  }, [loom]);
}
