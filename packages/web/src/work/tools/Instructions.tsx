import { useState } from 'react';
import type { ReactElement } from 'react';
import { splitPath } from '@loom/blocks';
import { z } from 'zod';
import { useAsked } from '../../stores/use-asked.ts';
import { Switch } from '../../ui/Switch.tsx';
import { useWorkPlace } from '../conversation-mode.ts';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';

const found = z.object({ files: z.array(z.object({ path: z.string(), text: z.string(), cut: z.boolean() })) });

/** The AGENTS.md or CLAUDE.md of the folder: what models read of them, and the switch that leaves them out. */
export function Instructions({ isOff }: { isOff: boolean }): ReactElement | null {
  const { ask, attempt, beginning } = useWorkHost();
  const { folder, root, hasInstructions } = useWorkPlace();
  const mayRead = useMay('instructions.get') === true;
  const { value } = useAsked(folder === '' || !mayRead ? undefined : folder, async () =>
    found.parse(await ask('instructions.get', { directory: folder })),
  );
  const [isOpen, setOpen] = useState(false);
  const files = value?.files ?? [];
  if (files.length === 0) return null;
  const names = files.map(({ path }) => splitPath(path).name).join(', ');
  const toggle = (isOn: boolean): void => {
    if (root === undefined) beginning.hasInstructions.set(isOn);
    else attempt(() => ask('root.configure', { root, config: { instructions: isOn ? null : false } }));
  };
  return (
    <>
      <div className="tools-row">
        <button type="button" className="grow tools-names" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="tools-name">Instructions of the folder</span>
          <small className="cut">{names}</small>
        </button>
        <Switch label="Instructions of the folder" isOn={hasInstructions} isOff={isOff} onChange={toggle} />
      </div>
      {isOpen &&
        files.map(({ path, text, cut }) => (
          <pre key={path} className="ask-command instructions-text" tabIndex={0} aria-label={path}>
            {text}
            {cut && '\n…'}
          </pre>
        ))}
    </>
  );
}
