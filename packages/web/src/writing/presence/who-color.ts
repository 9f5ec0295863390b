/** Returns the color of an agent's caret and words: 1 for the reader, 2 for other people and programs, 3 for models. */
export function whoColor(agent: string, reader: string): 1 | 2 | 3 {
  if (agent === reader) return 1;
  return isModel(agent) ? 3 : 2;
}

/** Models are named by their provider and their name: `anthropic:claude-x`. */
export function isModel(agent: string): boolean {
  return agent.includes(':');
}
