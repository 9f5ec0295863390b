import type { ReplicaState } from '@loom/sync';
import { agentName } from '../../conversation/agent-name.ts';
import { whoColor } from './who-color.ts';

/** Someone who is in a conversation now. */
export interface Present {
  readonly agent: string;
  readonly name: string;
  readonly color: 1 | 2 | 3;
  /** True for a model that is answering. */
  readonly isWriting: boolean;
}

/** Lists the reader, the others who have the conversation open, and the models that are answering; nobody if the reader is alone. */
export function whoIsHere(
  { here, root: { turns } }: Pick<ReplicaState, 'here'> & { readonly root: Pick<ReplicaState['root'], 'turns'> },
  reader: string,
): readonly Present[] {
  const models = [...new Set(turns.map(({ provider, model }) => `${provider}:${model}`))];
  const others = here.filter((agent) => agent !== reader && !models.includes(agent));
  if (others.length + models.length === 0) return [];
  const present = (agent: string, isWriting: boolean): Present => ({
    agent,
    name: agentName(agent, reader),
    color: isWriting ? 3 : whoColor(agent, reader),
    isWriting,
  });
  return [
    present(reader, false),
    ...others.map((agent) => present(agent, false)),
    ...models.map((agent) => present(agent, true)),
  ];
}
