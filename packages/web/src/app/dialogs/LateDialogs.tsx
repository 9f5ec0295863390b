import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { BlameDialog } from '../../blame/BlameDialog.tsx';
import type { LateDialog } from '../../branching/workspace.ts';
import { ProjectDialog } from '../../conversations/ProjectDialog.tsx';
import { nameOf } from '../../navigator/navigator-rows.ts';
import { SystemPromptDialog } from '../../prompts/SystemPromptDialog.tsx';
import { SecretsDialog } from '../../secrets/SecretsDialog.tsx';
import { ShareDialog } from '../../sharing/ShareDialog.tsx';
import { useStore } from '../../stores/use-store.ts';
import type { SystemPromptPorts } from '../../prompts/SystemPromptDialog.tsx';
import { useLoom } from '../loom-context.ts';

/** A dialog that is seldom needed. */
export function LateDialogs({ dialog, onClose }: { dialog: LateDialog; onClose: () => void }): ReactElement {
  const { ask, conversation, list } = useLoom();
  const { items } = useStore(list);
  const nameOfRoot = (root: string): string => {
    const item = items.find(({ id }) => id === root);
    return item === undefined ? 'a conversation' : nameOf(item);
  };
  const ports = useMemo(
    (): SystemPromptPorts => ({
      async read(root) {
        const { config } = await ask('root.get', { root });
        const open = conversation.getSnapshot();
        const tip = open?.root === root && open.tip !== root ? open.tip : undefined;
        const leaf = tip ?? (await ask('tree.recent_leaves', { root, limit: 1 })).nodes[0]?.id;
        const { systemPrompt, directory, instructions } = config;
        return {
          prompt: typeof systemPrompt === 'string' ? systemPrompt : '',
          node: leaf,
          folder: typeof directory === 'string' ? directory : undefined,
          hasInstructions: instructions !== false,
        };
      },
      costs: async (node, prompt) => (await ask('context.cost', { node, system_prompt: prompt })).costs,
    }),
    [ask, conversation],
  );
  switch (dialog.what) {
    case 'share':
      return <ShareDialog wish={dialog} title={nameOfRoot(dialog.root)} onClose={onClose} />;
    case 'secrets':
      return <SecretsDialog root={dialog.root} jobs={list} nameOf={nameOfRoot} onClose={onClose} />;
    case 'blame': {
      const { path, line, text } = dialog;
      const place =
        path === undefined
          ? undefined
          : { path, ...(line === undefined ? {} : { line }), ...(text === undefined ? {} : { text }) };
      return <BlameDialog place={place} folder={conversation.getSnapshot()?.folder} onClose={onClose} />;
    }
    case 'project':
      return <ProjectDialog project={dialog.project} name={dialog.name} onClose={onClose} />;
    case 'system-prompt':
      return <SystemPromptDialog root={dialog.root} ports={ports} onClose={onClose} />;
  }
}
