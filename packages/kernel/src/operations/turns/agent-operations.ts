import { waysToContinue } from '@loom/blocks';
import { z } from 'zod';
import { buildContext } from '../../context/context.ts';
import { spokenHead } from '../../context/spoken-head.ts';
import { nodeId } from '../../forest/ids.ts';
import { pathTo } from '../../state/tree/tree.ts';
import { refuse } from '../../refusal.ts';
import { surroundingsOf } from '../../root-settings.ts';
import { trailOf } from '../../turn/speaking/turn-request.ts';
import { defineOperation } from '../operation.ts';

const agentCommand = defineOperation({
  name: 'agent.command',
  summary:
    "Returns the command line that goes on with a branch in the person's own terminal, in the session of the agent that spoke there last, or why there is none. Starts nothing.",
  params: () =>
    z.strictObject({
      node: nodeId.describe('The end of the branch.'),
      agent: z
        .string()
        .min(1)
        .exactOptional()
        .describe('The agent, such as `claude` or `codex`. Default: the one that spoke last on the branch.'),
    }),
  result: () =>
    z.strictObject({
      agent: z.string(),
      line: z.string().exactOptional().describe('The command line for a shell, with its folder.'),
      words: z.array(z.string()).exactOptional().describe('The program and its arguments.'),
      directory: z.string().exactOptional().describe('The folder that the program has to be started in.'),
      why: z.string().exactOptional().describe('Why there is no such command, and what to do instead.'),
    }),
  refusals: ['node-not-found', 'unknown-provider'],
  effect: 'reads',
  role: 'owner',
  run: async (engine, _caller, { node, agent: named }) => {
    const root = node.split('/')[0] ?? node;
    const { value: branch } = await engine.forest.log(root).read((state) => {
      if (!state.nodes.has(node)) return undefined;
      const path = pathTo(state, node);
      const source = path.findLast(({ source: { type } }) => type === 'model')?.source;
      const last = source?.type === 'model' ? source.provider : undefined;
      return { last, request: { ...surroundingsOf(state.config), trail: path.map(trailOf) } };
    });
    if (branch === undefined) return refuse({ reason: 'node-not-found', node });
    const agent = named ?? branch.last;
    if (agent === undefined) return { ok: true, value: { agent: '', why: 'No agent has spoken on this branch.' } };
    const provider = engine.registry.provider(agent);
    if (provider === undefined && named !== undefined) {
      const providers = engine.registry.providers.map(({ id }) => id);
      return refuse({ reason: 'unknown-provider', provider: agent, providers });
    }
    if (provider?.terminalCommand === undefined) {
      const why = `${agent} is not an agent with a program of its own. To go on in one, export the branch for it.`;
      return { ok: true, value: { agent, why } };
    }
    const found = await provider.terminalCommand(branch.request);
    if (!found.ok) return { ok: true, value: { agent, why: found.why } };
    const { words, directory } = found;
    const command = words.map(quoted).join(' ');
    const line = directory === undefined ? command : `cd ${quoted(directory)} && ${command}`;
    return {
      ok: true,
      value: { agent, line, words: [...words], ...(directory === undefined ? {} : { directory }) },
    };
  },
});

const agentContinuation = defineOperation({
  name: 'agent.continuation',
  summary:
    'Returns the way in which an agent would go on with a branch: in its own session, in a fork of that, or in a session that Loom writes for it. Starts no turn.',
  params: () =>
    z.strictObject({
      node: nodeId.describe('The end of the branch.'),
      agent: z.string().min(1).describe('The agent, such as `claude` or `codex`.'),
    }),
  result: () =>
    z.strictObject({
      how: z
        .enum(waysToContinue)
        .exactOptional()
        .describe(
          '`text`: the branch is told as a text. Absent for providers that are no agents: they read the branch with every call.',
        ),
      loses: z.array(z.string()).exactOptional().describe('The parts of the branch that it does not get.'),
    }),
  refusals: ['node-not-found', 'unknown-provider'],
  effect: 'reads',
  run: async (engine, _caller, { node, agent }) => {
    const provider = engine.registry.provider(agent);
    if (provider === undefined) {
      const providers = engine.registry.providers.map(({ id }) => id);
      return refuse({ reason: 'unknown-provider', provider: agent, providers });
    }
    const { value: branch } = await engine.forest.log(node.split('/')[0] ?? node).read((state) => {
      if (!state.nodes.has(node)) return undefined;
      const path = pathTo(state, node);
      const head = spokenHead(state, path, (names) => engine.registry.describeTools(names));
      const invalid = head === undefined ? [] : buildContext(path, head, engine.hash).invalid;
      return { ...surroundingsOf(state.config), trail: path.map(trailOf), invalid };
    });
    if (branch === undefined) return refuse({ reason: 'node-not-found', node });
    const found = await provider.continuation?.(branch);
    if (found === undefined) return { ok: true, value: {} };
    const { how, loses } = found;
    return { ok: true, value: { how, ...(loses === undefined ? {} : { loses: [...loses] }) } };
  },
});

export const agentOperations = [agentCommand, agentContinuation] as const;

/** Quotes a word for a shell, unless every character of it is harmless. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
