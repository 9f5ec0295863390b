import { z } from 'zod';

/** A writer: a person, a model, an agent CLI, a tool, the file system, an importer. */
export const agentId = z.string().regex(/^(?:[A-Za-z0-9._:-]|%[0-9A-F]{2})+$/, {
  error: 'must consist of letters, digits and . _ : - (anything else %-encoded)',
});
export type AgentId = z.infer<typeof agentId>;

/** The agent id of a model: `<provider>:<model>`, every other character %-encoded as UTF-8. */
export function modelAgentId(provider: string, model: string): AgentId {
  // A colon inside the provider's name would make two models share one id.
  return `${encodeAgentId(provider).replaceAll(':', '%3A')}:${encodeAgentId(model)}`;
}

/** Any name as an agent id: characters outside `[A-Za-z0-9._:-]` are %-encoded, so different names stay different. */
export function encodeAgentId(name: string): AgentId {
  return encodeURIComponent(name.toWellFormed())
    .replaceAll('%3A', ':')
    .replaceAll(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
