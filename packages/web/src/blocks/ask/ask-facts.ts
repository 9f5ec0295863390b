import type { ToolBlock } from '@loom/blocks';
import { dangerOf } from '@loom/blocks/asking';
import type { IconName } from '../../ui/Icon.tsx';

/** A fact that a person should know before a call is allowed. */
export interface AskFact {
  readonly icon: IconName;
  readonly text: string;
  readonly isDanger?: true;
}

/** Returns the facts about a call before it runs: its folder, its reach, and the reason it is dangerous. */
export function askFacts(preview: readonly ToolBlock[], folder: string | undefined): AskFact[] {
  const danger = dangerOf(preview);
  return [
    ...(folder === undefined ? [] : [{ icon: 'file' as const, text: folder }]),
    ...(preview.some(isOnline) ? [{ icon: 'globe' as const, text: 'uses the network' }] : []),
    ...(danger === undefined ? [] : [{ icon: 'warning' as const, text: danger, isDanger: true as const }]),
  ];
}

/** The commands of programs that reach other computers, as far as a command line shows it. */
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
