import { plainObject, userBlock } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { defineOperation, refuse, refuseLimited } from '@loom/kernel';
import type { Caller, LoomEngine, Operation, Outcome, ProcessPort } from '@loom/kernel';
import { z } from 'zod';

const answerer = z.strictObject({
  provider: z.string().describe('The id of a provider, such as that of an agent.'),
  model: z.string().min(1).describe("The name of one of that provider's models."),
  settings: plainObject.exactOptional().describe('Model settings. Default: none.'),
});
type Answerer = z.infer<typeof answerer>;

const userBlocks = z.tuple([userBlock], userBlock);

function problemsOf({ issues }: z.ZodError): { path: string[]; problem: string }[] {
  return issues.map(({ path, message }) => ({ path: ['content', ...path.map(String)], problem: message }));
}

const asked = z.strictObject({
  root: z.string(),
  node: z.string().describe('The question in this conversation.'),
  turn: z.string(),
  provider: z.string(),
  model: z.string(),
  directory: z.string().exactOptional().describe('The folder that it works in.'),
  branch: z.string().exactOptional().describe('The branch of its worktree; absent if it got none.'),
});
type Asked = z.infer<typeof asked>;

/** Rows about questions that several agents are asked at once. */
export function questionOperations(processes: Pick<ProcessPort, 'spawn'>): Operation[] {
  return [
    defineOperation({
      name: 'question.ask',
      summary:
        'Asks several agents or models the same question, each in a conversation of its own. In a git repository each works in a new worktree, so that they do not overwrite each other. board.list shows them together.',
      params: () =>
        z.strictObject({
          content: z
            .union([z.string().min(1), z.array(plainObject).min(1)])
            .describe('A text, or blocks of text and images, as node.append takes them.'),
          answers: z.array(answerer).min(2).max(16).describe('Those who are asked; one of them may be named twice.'),
          directory: z.string().min(1).max(4096).exactOptional().describe('The folder to work in. Default: none.'),
          config: plainObject
            .exactOptional()
            .describe('The config of the conversations, as root.create takes it. Default: none.'),
          tools: z
            .array(z.string())
            .exactOptional()
            .describe('The names of the tools that models may use; agents bring their own. Default: none.'),
        }),
      result: () =>
        z.strictObject({
          question: z.string().describe('The name of the question, for board.list.'),
          turns: z.array(z.string()),
          nodes: z.array(z.string()).describe('The messages that the turns answer.'),
          conversations: z.array(asked),
        }),
      refusals: ['unknown-provider'],
      effect: 'runs',
      role: 'owner',
      run: async (engine, caller, { content, answers, directory, config = {}, tools = [] }) => {
        const denied = refuseLimited(caller, 'question.ask') ?? refuseUnknown(engine, answers);
        if (denied !== undefined) return denied;
        const read = userBlocks.safeParse(typeof content === 'string' ? [{ type: 'text', text: content }] : content);
        if (!read.success) return refuse({ reason: 'invalid-params', problems: problemsOf(read.error) });
        const places = await placesFor(answers, directory, processes);
        if (!places.ok) return places;
        const conversations: Asked[] = [];
        for (const [index, place] of places.value.entries()) {
          const { directory: folder } = place;
          const own = { ...config, question: caller.id, ...(folder === undefined ? {} : { directory: folder }) };
          const order = { content: read.data, config: own, place, tools };
          const begun = await ask(engine, { ...caller, id: `${caller.id}.${index}` }, order);
          if (!begun.ok) return begun;
          conversations.push(begun.value);
        }
        const turns = conversations.map(({ turn }) => turn);
        const nodes = conversations.map(({ node }) => node);
        return { ok: true, value: { question: caller.id, turns, nodes, conversations } };
      },
    }),
  ];
}

/** One of those who are asked, and the place in which it works. */
type Place = Answerer & { directory?: string; branch?: string };

function refuseUnknown({ registry }: LoomEngine, answers: readonly Answerer[]) {
  const missing = answers.find(({ provider }) => registry.provider(provider) === undefined);
  const providers = registry.providers.map(({ id }) => id);
  return missing && refuse({ reason: 'unknown-provider', provider: missing.provider, providers });
}

/** Makes a worktree for each, if the folder is in a repository. */
async function placesFor(
  answers: readonly Answerer[],
  directory: string | undefined,
  processes: Pick<ProcessPort, 'spawn'>,
): Promise<Outcome<Place[]>> {
  if (directory === undefined) return { ok: true, value: [...answers] };
  const [{ createWorktree }, { readRepository }] = await Promise.all([
    import('./worktrees.ts'),
    import('../folders/folder-facts.ts'),
  ]);
  const places: Place[] = [];
  const isInRepository = (await readRepository(directory)) !== undefined;
  for (const answerer of answers) {
    const made = isInRepository ? await createWorktree(directory, undefined, { processes }) : undefined;
    if (made?.ok === false)
      return refuse({ reason: 'invalid-params', problems: [{ path: ['directory'], problem: made.problem }] });
    places.push({ ...answerer, ...(made?.value ?? { directory }) });
  }
  return { ok: true, value: places };
}

interface Question {
  content: z.infer<typeof userBlocks>;
  config: PlainObject;
  place: Place;
  tools: string[];
}

/** Begins one conversation. Its requests are repeated with the question's: each is done once. */
async function ask(
  engine: LoomEngine,
  caller: Caller,
  { content, config, place, tools }: Question,
): Promise<Outcome<Asked>> {
  const { settings, ...answerer } = place;
  const { provider, model } = answerer;
  const as = (what: string): Caller => ({ ...caller, id: `${caller.id}.${what}` });
  const created = await engine.call('root.create', as('root'), { config });
  if (!created.ok) return created;
  const { root } = created.value;
  const said = await engine.call('node.append', as('node'), { parent: root, messages: [{ role: 'user', content }] });
  if (!said.ok) return said;
  const node = said.value.nodes[0] ?? '';
  const started = await engine.call('turn.start', as('turn'), {
    node,
    provider,
    model,
    tools,
    ...(settings === undefined ? {} : { settings }),
  });
  if (!started.ok) return started;
  return { ok: true, value: { ...answerer, root, node, turn: started.value.turns[0] ?? '' } };
}
