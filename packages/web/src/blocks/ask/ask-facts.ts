import type { ToolBlock } from '@loom/blocks';
import type { IconName } from '../../ui/Icon.tsx';
import { count } from '../../words/amounts.ts';

/** Something that a person should know before a call is allowed. */
export interface AskFact {
  readonly icon: IconName;
  readonly text: string;
  readonly isDanger?: true;
}

/** What can be told of a call before it runs: where it works, what it reaches, and why it is dangerous. */
export function askFacts(preview: readonly ToolBlock[], folder: string | undefined): AskFact[] {
  const danger = dangerOf(preview);
  return [
    ...(folder === undefined ? [] : [{ icon: 'file' as const, text: folder }]),
    ...(preview.some(isOnline) ? [{ icon: 'globe' as const, text: 'uses the network' }] : []),
    ...(danger === undefined ? [] : [{ icon: 'warning' as const, text: danger, isDanger: true as const }]),
  ];
}

/** Why the harm that a call may do cannot be taken back; such a call is never the choice that is offered first. */
export function dangerOf(preview: readonly ToolBlock[]): string | undefined {
  for (const block of preview) {
    if (block.type === 'command') {
      const danger = dangers.find(([pattern]) => pattern.test(block.command));
      if (danger !== undefined) return danger[1];
    }
    if (block.type !== 'file-change') continue;
    const deleted = block.changes.filter(({ kind }) => kind === 'delete').length;
    if (deleted > 0) return `deletes ${count(deleted, 'file')}`;
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

/** Programs that reach other computers, as far as a command says it. */
const online = [
  /\b(?:curl|wget|ssh|scp|rsync|ftp|ping)\b/u,
  /\bgit\s+(?:clone|fetch|pull|push)\b/u,
  /\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|ci|add|update|publish)\b/u,
  /\b(?:pip3?|uv|cargo|gem|brew|apt|apt-get|go)\s+(?:\S+\s+)?(?:install|add|get|update|publish)\b/u,
  /\bdocker\s+(?:pull|push)\b/u,
];

function isOnline(block: ToolBlock): boolean {
  return block.type === 'command' && online.some((pattern) => pattern.test(block.command));
}
