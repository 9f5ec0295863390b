import type { ToolInfo } from '../../models/model-answers.ts';
import { toolKinds } from './tool-groups.ts';

/** Loom's own tools that are switched on and off together, in all conversations. */
export interface BuiltIn {
  readonly name: string;
  readonly names: readonly string[];
  /** The occasions on which its calls ask. */
  readonly asks: string;
  readonly isOn: boolean;
}

/** Puts Loom's own tools into the groups that the list of a conversation has. Those of servers and of the demo are none of them. */
export function builtInTools(tools: readonly ToolInfo[]): BuiltIn[] {
  const left = new Set(tools.filter(({ server, made_for: madeFor }) => server === undefined && madeFor === undefined));
  return toolKinds.flatMap(({ name, asks, has }) => {
    const inside = [...left].filter(has);
    for (const tool of inside) left.delete(tool);
    if (inside.length === 0) return [];
    const isOn = inside.some(({ why_not: why }) => why !== 'off');
    return [{ name, names: inside.map((tool) => tool.name), asks, isOn }];
  });
}
