import { useEffect, useRef } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { keyMap } from './key-map.ts';
import type { CommandName } from './key-map.ts';

type CommandTable = { readonly [Name in CommandName]?: (() => void) | undefined };

/** Registers commands as long as the component is shown; they act according to its last drawing. */
export function useBringCommands(table: CommandTable): void {
  const { commands } = useLoom();
  const latest = useRef(table);
  useEffect(() => {
    latest.current = table;
  });
  useEffect(() => {
    const brought: { [Name in CommandName]?: () => void } = {};
    for (const { command } of keyMap) {
      if (latest.current[command] !== undefined) brought[command] = () => latest.current[command]?.();
    }
    return commands.bring(brought);
  }, [commands]);
}
