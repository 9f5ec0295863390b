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

/** A kind of Loom's own tools. */
export interface ToolKind {
  readonly name: string;
  /** The occasions on which their calls ask. */
  readonly asks: string;
  readonly has: (tool: ToolInfo) => boolean;
}

/** The kinds in their order; a tool belongs to the first that has it. */
export const toolKinds: readonly ToolKind[] = [
  {
    name: 'Read and search files',
    asks: 'asks for secrets',
    has: ({ group, effect }) => group === 'files' && effect === 'reads',
  },
  {
    name: 'Change files',
    asks: 'depends on mode',
    has: ({ group, effect }) => group === 'files' && effect !== 'reads',
  },
  { name: 'Run commands', asks: 'depends on mode', has: ({ group }) => group === 'shell' },
  { name: 'Fetch web pages', asks: 'asks', has: ({ group }) => group === 'web' },
  { name: 'Ask me, keep a plan', asks: 'never asks', has: ({ name }) => name === 'ask' || name === 'todo' },
  { name: 'Edit texts of this conversation', asks: 'where you choose it', has: ({ group }) => group === 'forest' },
  { name: 'Other tools', asks: 'never asks', has: () => true },
];

/** The reasons that a choice of tools cannot change, in words. */
const hindrances: Readonly<Record<string, string>> = {
  'no-folder': 'needs a folder',
  'other-mode': 'in another mode',
  off: 'switched off in Settings',
  changed: 'its description changed, see Settings',
};

/** Tools that are of no use to the model are not listed at all. */
const unlisted = ['other-provider', 'other-model'];

/** Puts tools into groups, each of them into the first that it fits, those of servers behind; groups without tools are left out. */
export function toolGroups(tools: readonly ToolInfo[]): ToolGroup[] {
  const left = new Set(tools.filter(({ why_not: why = '' }) => !unlisted.includes(why)));
  const servers = new Set(tools.flatMap(({ server = '' }) => (server === '' ? [] : [server])));
  const ofServers = Array.from(servers, (name) => ({ name, has: (tool: ToolInfo) => tool.server === name }));
  const ofLoom = toolKinds.map(({ name, has }) => ({
    name,
    has: (tool: ToolInfo) => tool.server === undefined && has(tool),
  }));
  return [...ofLoom, ...ofServers].flatMap(({ name, has }) => {
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
