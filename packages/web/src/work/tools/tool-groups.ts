import type { ToolInfo } from '../../models/model-answers.ts';

/** Tools that are switched on and off together. */
export interface ToolGroup {
  readonly name: string;
  readonly tools: readonly ToolInfo[];
  /** Those that the conversation and its model can have. */
  readonly possible: readonly string[];
  /** The reason that it can have none. */
  readonly hindrance: string | undefined;
  readonly isOn: boolean;
}

const kinds: readonly { readonly name: string; readonly has: (tool: ToolInfo) => boolean }[] = [
  { name: 'Read and search files', has: ({ group, effect }) => group === 'files' && effect === 'reads' },
  { name: 'Change files', has: ({ group, effect }) => group === 'files' && effect !== 'reads' },
  { name: 'Run commands', has: ({ group }) => group === 'shell' },
  { name: 'Fetch web pages', has: ({ group }) => group === 'web' },
  { name: 'Ask me, keep a plan', has: ({ name }) => name === 'ask' || name === 'todo' },
  { name: 'Edit texts of this conversation', has: ({ group }) => group === 'forest' },
  { name: 'Other tools', has: () => true },
];

/** The reasons that a choice of tools cannot change, in words. */
const hindrances: Readonly<Record<string, string>> = {
  'no-folder': 'needs a folder',
  'other-mode': 'in another mode',
};

/** Tools that are of no use to the model are not listed at all. */
const unlisted = ['other-provider', 'other-model'];

/** Puts tools into groups, each of them into the first that it fits; groups without tools are left out. */
export function toolGroups(tools: readonly ToolInfo[]): ToolGroup[] {
  const left = new Set(tools.filter(({ why_not: why = '' }) => !unlisted.includes(why)));
  return kinds.flatMap(({ name, has }) => {
    const inside = [...left].filter(has);
    for (const tool of inside) left.delete(tool);
    if (inside.length === 0) return [];
    const possible = inside.filter(({ why_not: why = '' }) => hindrances[why] === undefined);
    const [first] = inside;
    return [
      {
        name,
        tools: inside,
        possible: possible.map((tool) => tool.name),
        hindrance: possible.length > 0 ? undefined : hindrances[first?.why_not ?? ''],
        isOn: possible.some(({ offered }) => offered),
      },
    ];
  });
}

/** The names that are on after a group was switched. */
export function switchGroup(tools: readonly ToolInfo[], { possible }: ToolGroup, isOn: boolean): string[] {
  const on = tools.flatMap(({ name, offered, why_not: why }) => (offered || why === 'no-folder' ? [name] : []));
  const others = on.filter((name) => !possible.includes(name));
  return isOn ? [...others, ...possible] : others;
}

/** The tokens that descriptions of tools take in every request, by the usual four characters each. */
export function toolTokens(tools: readonly ToolInfo[]): number {
  const told = tools.filter(({ offered }) => offered);
  const length = told.reduce(
    (sum, { name, description, parameters }) => sum + JSON.stringify({ name, description, parameters }).length,
    0,
  );
  return Math.round(length / 4);
}
