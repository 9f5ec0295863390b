// The cost of making a request of a long branch: from its nodes to the bytes for the socket, against JSON.stringify of the same messages.
import { createHash } from 'node:crypto';
import { estimateInputTokens } from '@loom/blocks';
import type { Message, Tokenizer } from '@loom/blocks';
import { buildContext, pathTo } from '@loom/kernel';
import type { Provider, ProviderCall } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import { blobsOf } from '@loom/kernel/store';
import { createAnthropicProvider } from '@loom/providers/anthropic';
import type { ApiDependencies } from '@loom/providers/api';
import { createCompatibleProvider } from '@loom/providers/compatible';
import { createGoogleProvider } from '@loom/providers/google';
import { createOpenAIProvider } from '@loom/providers/openai';
import { findTokenizer } from '@loom/providers/tokens';
import { createMemoryStore } from '@loom/stores/memory';
import { machineClock, median, printHeader, printRatio } from './measure.ts';

const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };

const makers: Record<string, { model: string; make: (dependencies: ApiDependencies) => Provider }> = {
  anthropic: { model: 'claude-sonnet-4-5', make: createAnthropicProvider },
  openai: { model: 'gpt-5.5', make: createOpenAIProvider },
  google: { model: 'gemini-3-pro', make: createGoogleProvider },
  'openai chat': { model: 'chat/gpt-4o', make: createOpenAIProvider },
  compatible: {
    model: 'qwen3',
    make: (dependencies) => createCompatibleProvider({ name: 'vllm', baseURL: 'http://127.0.0.1:9/v1' }, dependencies),
  },
};

/** A conversation as agents have them: a question, an answer with a call, its result, a closing answer. */
function makeConversation(messages: number): Message[] {
  return Array.from({ length: messages }, (_, index): Message => {
    const id = `call_${Math.floor(index / 4)}`;
    const prose = `Message ${index}. ${'Some “prose” that a person or a model could have written.\n'.repeat(12)}`;
    switch (index % 4) {
      case 0:
        return { role: 'user', content: [{ type: 'text', text: prose }] };
      case 1:
        return {
          role: 'assistant',
          content: [
            { type: 'text', text: prose },
            { type: 'tool-use', id, name: 'read_file', parameters: { path: `/src/file-${index}.ts`, limit: 200 } },
          ],
        };
      case 2:
        return { role: 'tool', tool_call_id: id, content: [{ type: 'text', text: prose }] };
      default:
        return { role: 'assistant', content: [{ type: 'text', text: prose }] };
    }
  });
}

/** Goes on until the request is handed to the socket; tells how many milliseconds that took, and how many the context did. */
async function timeRequest(
  { make, model }: (typeof makers)[string],
  tokenizer: Tokenizer | undefined,
): Promise<{ time: number; built: number; messages: readonly Message[] }> {
  let used = process.threadCpuUsage();
  let time = Number.NaN;
  const fetch: typeof globalThis.fetch = async () => {
    time = since(used);
    return new Response('{"error":{"message":"enough"}}', { status: 400 });
  };
  const provider = make({ clock: machineClock, random: Math.random, key: async () => 'key', fetch });
  used = process.threadCpuUsage();
  const messages = build(provider.id, model, tokenizer);
  const built = since(used);
  const place = { root: 'root-1', node: 'root-1/node-1', invalid: [], trail: [] };
  const request = { ...place, model, messages, tools: [], maxTokens: 8192, settings: {}, systemPrompt: 'Be brief.' };
  for await (const event of provider.stream(request, idleCall)) {
    if (event.type === 'call-error' && !event.error.message.includes('enough')) throw new Error(event.error.message);
  }
  return { time, built, messages };
}

/** Milliseconds of this thread's own work: a busy machine takes the processor away, which says nothing about the code. */
function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

function timeOf(work: () => unknown): number {
  const start = process.threadCpuUsage();
  work();
  return since(start);
}

const idleCall: ProviderCall = {
  signal: new AbortController().signal,
  blobs: blobsOf(createMemoryStore()),
  steering: (async function* () {})(),
  decide: async () => ({ decision: 'denied', by: '' }),
  session: async () => ({ ok: false, refusal: { reason: 'nothing-said' } }),
  record: () => {},
};

const forest = new Forest({ store: createMemoryStore(), clock: machineClock, ids: { next: () => 'bench' } });
const { root } = await done(forest.createRoot({ agent: 'bench', id: '1' }));
const added = { parent: root, messages: makeConversation(2000) };
const { nodes } = await done(forest.append({ agent: 'bench', id: '2' }, root, added));
const state = await forest.log(root).state();
const leaf = nodes.at(-1) ?? root;

async function done<T>(outcome: Promise<{ ok: true; value: T } | { ok: false; refusal: unknown }>): Promise<T> {
  const settled = await outcome;
  if (!settled.ok) throw new Error(JSON.stringify(settled.refusal));
  return settled.value;
}

/** Does the work of a turn before it calls a provider: the context, and its number of tokens. */
function build(provider: string, model: string, tokenizer: Tokenizer | undefined): readonly Message[] {
  const context = buildContext(pathTo(state, leaf), { provider, model, systemPrompt: 'Be brief.', tools: [] }, hash);
  estimateInputTokens(context.messages, 'Be brief.', tokenizer === undefined ? {} : { tokenizer });
  return context.messages;
}

printHeader('request');
for (const [name, maker] of Object.entries(makers)) {
  const tokenizer = await findTokenizer(name.split(' ')[0] ?? '', maker.model);
  const runs: { time: number; built: number; plain: number }[] = [];
  for (let run = 0; run < 25; run += 1) {
    const { time, built, messages: sent } = await timeRequest(maker, tokenizer);
    runs.push({ time, built, plain: timeOf(() => JSON.stringify(sent)) });
  }
  const medianOf = (part: keyof (typeof runs)[number]): number => median(runs.map((run) => run[part]));
  printRatio(`${name}: 2,000 messages, from nodes to bytes ÷ JSON.stringify`, medianOf('time'), medianOf('plain'), 8);
  const [first] = runs;
  printRatio('  of it the context and its tokens', medianOf('built'), medianOf('plain'));
  if (first !== undefined) printRatio('  the same for the first time', first.built, first.plain);
}
