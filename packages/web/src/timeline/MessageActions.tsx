import type { ReactElement } from 'react';
import type { NodeState } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { messageCommands } from '../branching/message-commands.ts';
import { copyCommand } from '../conversation/actions.ts';
import { keyOf } from '../keys/key-map.ts';
import { isAgent } from '../models/model-words.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { MenuButton } from '../ui/floating/MenuButton.tsx';

/** The number of actions with separate buttons; the rest is in the menu. */
const buttons = 5;

/** The actions on a message; keys do the same. */
export function MessageActions({ node }: { node: NodeState }): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const hasCommand = node.source.type === 'model' && isAgent(node.source.provider);
  const commandsOf = (state: NodeState) => {
    const current = loom.current.getSnapshot();
    const block = state.blocks.find(({ block_id: id }) => id !== undefined && id === current) ?? state.blocks.at(-1);
    return messageCommands(loom, conversation, { node: state, block });
  };
  const commands = () =>
    commandsOf(node).map((offered) => ({
      ...offered,
      // With the message as it is by then: it may have grown since this was drawn.
      run: () => {
        const state = conversation.replica.nodes.get(node.id) ?? node;
        commandsOf(state)
          .find(({ command }) => command === offered.command)
          ?.run();
      },
    }));
  return (
    <span className="message-actions">
      {commands()
        .slice(0, buttons)
        .map(({ command, label, icon, run }) => (
          <span key={command} className="message-action">
            <IconButton icon={icon} label={label} keys={keyOf(command)} isSmall onClick={run} />
          </span>
        ))}
      <MenuButton
        label="More"
        isSmall
        items={() => {
          const own = commands().map(({ command, ...item }) => ({ ...item, keys: keyOf(command) }));
          const wish = { root: conversation.root, node: node.id };
          const giving = [
            {
              label: 'Share…',
              icon: 'globe' as const,
              isApart: true,
              run: () => loom.workspace.dialog.set({ what: 'share', ...wish }),
            },
            { label: 'Export…', icon: 'download' as const, run: () => loom.exporting.set(wish) },
            {
              label: 'Continue in Claude Code or Codex…',
              icon: 'command' as const,
              run: () => loom.exporting.set({ ...wish, isSession: true }),
            },
            ...(hasCommand
              ? [
                  {
                    label: 'Copy the command',
                    icon: 'copy' as const,
                    run: () => loom.attempt(() => copyCommand(loom, node.id)),
                  },
                ]
              : []),
          ];
          return [...own.slice(0, -1), ...giving, ...own.slice(-1).map((item) => ({ ...item, isApart: true }))];
        }}
      />
    </span>
  );
}
