/** Returns the name of an agent: the reader is `You`, a model or a tool goes by its own name. */
export function agentName(agent: string, reader: string): string {
  return agent === reader ? 'You' : agent.slice(agent.lastIndexOf(':') + 1);
}
