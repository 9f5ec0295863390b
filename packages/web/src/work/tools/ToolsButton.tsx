import { useRef } from 'react';
import type { ReactElement } from 'react';
import { useStore } from '../../stores/use-store.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { later } from '../../ui/later.tsx';
import { Popover } from '../../ui/floating/boxes.ts';
import { useOpen } from '../../ui/floating/use-open.ts';
import { useWorkHost } from '../work-host.ts';

const ToolsPanel = later(async () => (await import('./ToolsPanel.tsx')).ToolsPanel);

/** Opens the list of tools that models may use in the conversation. */
export function ToolsButton(): ReactElement {
  const { tools, focusComposer } = useWorkHost();
  const on = useStore(tools.listed).tools.filter(({ offered }) => offered).length;
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  return (
    <>
      <IconButton ref={button} icon="tool" label={`Tools: ${on} on`} isOpen={isOpen} onClick={toggle} />
      {isOpen && (
        <Popover anchor={button.current} label="Tools" className="tools-panel" onLeave={focusComposer} onClose={close}>
          <ToolsPanel />
        </Popover>
      )}
    </>
  );
}
