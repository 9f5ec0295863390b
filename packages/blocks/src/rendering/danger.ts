import type { ToolBlock } from '../content-block.ts';

/**
 * Returns the reason that the harm that a call may do cannot be undone; such a call is never the choice that is offered
 * first, and never allowed for longer.
 */
export function dangerOf(preview: readonly ToolBlock[]): string | undefined {
  for (const block of preview) {
    if (block.type === 'command') {
      const danger = dangers.find(([pattern]) => pattern.test(block.command));
      if (danger !== undefined) return danger[1];
    }
    if (block.type !== 'file-change') continue;
    const deleted = block.changes.filter(({ kind }) => kind === 'delete').length;
    if (deleted > 0) return `deletes ${deleted === 1 ? '1 file' : `${deleted} files`}`;
  }
  return undefined;
}

const dangers: readonly (readonly [RegExp, string])[] = [
  [/\brm\s+(?:-\S+\s+)*-\S*[rf]/u, 'deletes files, which cannot be undone'],
  [/\bsudo\b/u, 'runs as the administrator'],
  [/\bgit\s+push\b.*(?:--force|\s-f\b)/u, 'replaces what others have pushed'],
  [/\bgit\s+(?:reset\s+--hard|clean\s+-\S*f)/u, 'throws away changes that are not committed'],
  [/\b(?:mkfs|dd)\b/u, 'writes to a disk directly'],
  [/\b(?:shutdown|reboot)\b/u, 'stops the computer'],
  [/\b(?:curl|wget)\b.*\|\s*(?:ba|z)?sh\b/u, 'runs what it downloads'],
  [/\bDROP\s+(?:TABLE|DATABASE)\b/iu, 'deletes a table or a database'],
  [/>\s*\/dev\/(?!null)/u, 'writes to a device'],
];
