import type { ResultOf } from '@loom/kernel';
import type { Line } from './column.ts';

type ListedTool = ResultOf<'tool.list'>['items'][number];

/** Words the reasons that a tool is not offered. */
export const whyNotWords: Readonly<Record<NonNullable<ListedTool['why_not']>, string>> = {
  'no-folder': 'needs a folder',
  'other-mode': 'only in another mode',
  'other-provider': 'made for another provider',
  'other-model': 'other models get it',
  'switched-off': 'switched off here',
  'on-request': 'on request',
  off: 'switched off',
  changed: 'its description changed and waits for review',
};

const groups = ['files', 'shell', 'web', 'other', 'forest'] as const;

/** Lists tools by group: what each does, and why a model does not get it. Those of other providers are left out. */
export function toolLines(tools: readonly ListedTool[]): Line[] {
  const known = tools.filter(({ why_not: why }) => why !== 'other-provider');
  const width = Math.max(0, ...known.map(({ name }) => name.length));
  return groups.flatMap((group) => {
    const rows = known.filter((tool) => tool.group === group);
    if (rows.length === 0) return [];
    return [{ text: group, tone: 'strong' as const }, ...rows.map((tool) => toolLine(tool, width))];
  });
}

function toolLine({ name, effect, offered, why_not: why, description }: ListedTool, width: number): Line {
  const [sentence = ''] = description.split(/(?<=\.)\s/u);
  const state = offered ? sentence : `(${why === undefined ? 'off' : whyNotWords[why]}) ${sentence}`;
  const text = `  ${offered ? '✔' : '·'} ${name.padEnd(width)}  ${effect.padEnd(7)}  ${state}`;
  return offered ? { text } : { text, tone: 'faint' };
}
