import type { Tool } from '@loom/kernel';

/** The tools that models of a provider are offered: those of the demo pretend, and are for its own models alone. */
export function toolsFor(provider: string, tools: readonly Tool[]): readonly Tool[] {
  return tools.filter(({ madeFor }) => madeFor === undefined || madeFor === provider);
}
