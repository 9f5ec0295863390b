import type { ToolBlock } from '@loom/blocks';
import { dangerOf } from '@loom/blocks/asking';
import { folderWords } from '../../work/paths.ts';
import type { IconName } from '../../ui/Icon.tsx';

/** A fact that a person should know before a call is allowed. */
export interface AskFact {
  readonly icon: IconName;
  readonly text: string;
  /** The full path of the folder that the text names. */
  readonly path?: string;
  readonly isDanger?: true;
}

/** Returns the facts about a call before it runs: its folder, its reach, and the reason it is dangerous. */
export function askFacts(preview: readonly ToolBlock[], folder: string | undefined, home?: string): AskFact[] {
  const danger = dangerOf(preview);
  const told = reachOf(preview);
  return [
    // A tool that says where its command runs names the folder.
    ...(folder === undefined || told.some((text) => text.includes(folder))
      ? []
      : [{ icon: 'folder' as const, text: folderWords(folder, home), path: folder }]),
    ...told.map((text) => ({ icon: reachIcon(text), ...placed(text, folder, home) })),
    // A tool that says how far its command reaches knows more than the words of the command.
    ...(told.length === 0 && preview.some(isOnline) ? [{ icon: 'globe' as const, text: 'uses the network' }] : []),
    ...(danger === undefined ? [] : [{ icon: 'warning' as const, text: danger, isDanger: true as const }]),
  ];
}

/** Returns the sentences of a tool about its command, such as the sandbox that it runs in. */
export function reachOf(preview: readonly ToolBlock[]): string[] {
  if (!preview.some(({ type }) => type === 'command')) return [];
  return preview.flatMap((block) =>
    block.type === 'text' ? block.text.split('\n').filter((line) => line !== '') : [],
  );
}

/** Shortens the folder in the sentence that says where a command runs. */
function placed(text: string, folder: string | undefined, home: string | undefined): Pick<AskFact, 'text' | 'path'> {
  const start = `Runs in ${folder ?? ''}`;
  const rest = text.slice(start.length);
  if (folder === undefined || !text.startsWith(start) || !/^[\s,.]/u.test(rest)) return { text };
  return { text: `Runs in ${folderWords(folder, home)}${rest}`, path: folder };
}

function reachIcon(text: string): IconName {
  if (!/\bsandbox\b/iu.test(text)) return 'message';
  return /\b(?:no|without (?:a|any)) sandbox\b/iu.test(text) ? 'warning' : 'shield';
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
