import { createHash } from 'node:crypto';
import { isPlainObject } from '@loom/blocks';
import type { Message, MessageBlock, ModelCaps, PlainObject } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import { createMemoryStore } from '@loom/stores/memory';
import { startEmulator } from './emulators/core.ts';
import { emulatedProviders } from './emulators/providers.ts';
import { HastyClock } from './hasty-clock.ts';

/** Models for each wire: some with known limits, some that think, and one unknown. */
export const windowModels: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude-opus-4-8', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
  openai: ['gpt-5.5', 'o3', 'gpt-5-mini'],
  'openai chat': ['chat/gpt-4o', 'chat/gpt-5.5'],
  google: ['gemini-3-pro-preview', 'gemini-2.5-flash'],
  compatible: ['local-model', 'local-thinker'],
};

export interface FilledWindows {
  questions: number;
  requests: number;
  /** The summaries that replaced earlier messages. */
  summaries: number;
  /** The fewest tokens that a request left for the text of the answer. */
  leastRoom: number;
  problems: string[];
}

/** Talks to a model until its window was full `windows` times, and checks every request that its API receives. */
export async function fillWindows(
  wireName: string,
  model: string,
  {
    caps,
    windows,
    settings = {},
  }: { caps: ModelCaps & { contextWindow: number }; windows: number; settings?: PlainObject },
): Promise<FilledWindows> {
  const made = emulatedProviders.find(({ name }) => name === wireName);
  if (made === undefined) throw new Error(`there is no wire ${wireName}`);
  const counts = { summaries: 0, questions: 0 };
  const emulator = await startEmulator(made.wire, ({ said }, { body }) => {
    const isSummary = said.includes('Sum up our conversation so far');
    if (isSummary) counts.summaries += 1;
    const say = isSummary ? 'They said that it is so, and asked again.' : 'It is so.';
    return { said: [{ say }], usage: { input: tokensIn(body), output: 10 } };
  });
  const clock = new HastyClock();
  const baseURL = emulator.url + made.path;
  const provider = made.make({ clock, random: () => 0.5, key: async () => 'key', baseURL });
  let ids = 0;
  const next = (): string => String((ids += 1)).padStart(8, '0');
  const engine = new LoomEngine({
    store: createMemoryStore(),
    clock,
    ids: { next },
    hash: { hex: (text) => createHash('sha256').update(text).digest('hex') },
    holder: 'one',
    providers: [provider],
    tools: [],
    catalogue: { capsOf: async () => caps },
  });
  const problems: string[] = [];
  try {
    const by = () => ({ agent: 'person', id: next() });
    const created = await engine.forest.createRoot(by(), { systemPrompt: 'Be brief.' });
    if (!created.ok) throw new Error(JSON.stringify(created.refusal));
    const { root } = created.value;
    let place = root;
    const isEnough = (): boolean => counts.summaries >= windows || counts.questions >= windows * 20;
    for (; !isEnough() && problems.length === 0; counts.questions += 1) {
      const { questions } = counts;
      // From a third to a fifteenth of the window, so that requests come close to the room that is kept free.
      const words = 'so it is, they say. '.repeat(Math.ceil(caps.contextWindow / (3 + ((questions * 7) % 13)) / 5));
      const question: Message = { role: 'user', content: [{ type: 'text', text: `question ${questions}: ${words}` }] };
      const said = await engine.forest.append(by(), root, { parent: place, messages: [question] });
      if (!said.ok) throw new Error(JSON.stringify(said.refusal));
      const params = { node: said.value.nodes.at(-1) ?? '', provider: provider.id, model, settings };
      const started = await engine.turns.generate(by(), root, params);
      if (!started.ok) throw new Error(JSON.stringify(started.refusal));
      const turn = started.value.turns[0] ?? '';
      const ended = await engine.turns.wait(turn);
      const nodes = [...(await engine.forest.log(root).state()).nodes.values()];
      place = nodes.findLast((node) => node.turn === turn)?.id ?? place;
      if (ended !== 'done')
        problems.push(`question ${questions} ended with ${String(ended)}: ${errorOf(nodes.at(-1))}`);
    }
    const rooms = emulator.requests.map(({ json, body }) => roomIn(json, body, caps.contextWindow));
    const leastRoom = Math.min(...rooms);
    if (problems.length === 0 && counts.summaries < windows)
      problems.push(`only ${counts.summaries} windows were filled`);
    if (leastRoom < leastOwed) problems.push(`a request left ${leastRoom} tokens for its answer`);
    return { ...counts, requests: emulator.requests.length, leastRoom, problems };
  } finally {
    await engine.close();
    await emulator.close();
  }
}

/** The tokens that every answer is granted unless less was requested. */
const leastOwed = 1_024;
/** The tokens that a model would count: 4 characters each. */
function tokensIn(body: string): number {
  return Math.ceil(body.length / 4);
}

/** Returns the tokens for the text of an answer: the limit, without the budget for thinking, and no more than the rest of the window. */
function roomIn(json: unknown, body: string, window: number): number {
  const request = isPlainObject(json) ? json : {};
  const config = objectIn(request, 'generationConfig');
  const limits = [
    request['max_tokens'],
    request['max_output_tokens'],
    request['max_completion_tokens'],
    config['maxOutputTokens'],
  ];
  const granted = limits.find((limit) => typeof limit === 'number') ?? Infinity;
  const budgets = [
    objectIn(request, 'thinking')['budget_tokens'],
    objectIn(config, 'thinkingConfig')['thinkingBudget'],
  ];
  const thinking = Math.max(0, budgets.find((budget) => typeof budget === 'number') ?? 0);
  return Math.min(granted - thinking, window - tokensIn(body));
}

function objectIn(holder: PlainObject, key: string): PlainObject {
  const value = holder[key];
  return isPlainObject(value) ? value : {};
}

function errorOf(node: { blocks: readonly MessageBlock[] } | undefined): string {
  return node?.blocks.find((block) => block.type === 'error')?.message ?? '';
}
