import { createHash } from 'node:crypto';
import { createMemoryStore } from '@loom/stores/memory';
import type { MemoryStore } from '@loom/stores/memory';
import type { Message, ModelCaps } from '@loom/blocks';
import { LoomEngine } from '../operations/calling/engine.ts';
import type { EngineOptions } from '../operations/calling/engine.ts';
import type { NodeState } from '../state/node-state.ts';
import type { Ids, RuleKeeper } from '../ports.ts';
import type { RootState } from '../state/root-state.ts';
import type { Tool, ToolPermission } from '../tool.ts';
import { ScriptedProvider } from './scripted-provider.ts';
import type { Script } from './scripted-provider.ts';
import { VirtualClock } from './virtual-clock.ts';

export const testHash = { hex: (text: string): string => createHash('sha256').update(text).digest('hex') };

/** Ids that count up. */
export function countingIds(start = 0): Ids {
  let last = start;
  return { next: () => String((last += 1)).padStart(8, '0') };
}

/** A kernel with everything around it that a test needs. */
export interface World {
  clock: VirtualClock;
  store: MemoryStore;
  engine: LoomEngine;
  provider: ScriptedProvider;
  /** The invocations that tools really ran, by name. */
  ran: string[];
  ids: Ids;
  root: string;
  state: () => Promise<RootState>;
  nodes: () => Promise<NodeState[]>;
  /** Says something as a person below the last node; returns the new node. */
  say: (text: string, parent?: string) => Promise<string>;
  /** Lets the scripted model answer a node; returns the turn. */
  answer: (node: string, options?: { tools?: string[]; n?: number; maxRounds?: number }) => Promise<string>;
  /** Another process over the same store. */
  another: (options?: Partial<EngineOptions>) => LoomEngine;
}

export async function createWorld(
  scripts: Script[] = [],
  tools: Tool[] = [],
  snapshotEvery = Infinity,
  caps: ModelCaps = { contextWindow: 8_192, maxOutput: 8_192 },
  rules?: RuleKeeper,
): Promise<World> {
  const clock = new VirtualClock();
  const ids = countingIds();
  const store = createMemoryStore({ now: () => clock.now() });
  const provider = new ScriptedProvider(...scripts);
  const ran: string[] = [];
  const recorded = tools.map((tool) => recordRuns(tool, ran));
  const catalogue = { capsOf: () => Promise.resolve(caps) };
  const options = {
    clock,
    ids,
    hash: testHash,
    providers: [provider],
    tools: recorded,
    snapshotEvery,
    catalogue,
    ...(rules === undefined ? {} : { rules }),
  };
  const engine = new LoomEngine({ ...options, store, holder: 'first' });
  const created = await engine.forest.createRoot({ agent: 'person', id: ids.next() }, { systemPrompt: 'Be brief.' });
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  const { root } = created.value;
  const state = () => engine.forest.log(root).state();
  return {
    clock,
    store,
    engine,
    provider,
    ran,
    ids,
    root,
    state,
    nodes: async () => [...(await state()).nodes.values()],
    say: async (text, parent) => {
      const place = parent ?? [...(await state()).nodes.keys()].at(-1) ?? root;
      const message: Message = { role: 'user', content: [{ type: 'text', text }] };
      const outcome = await engine.forest.append({ agent: 'person', id: ids.next() }, root, {
        parent: place,
        messages: [message],
      });
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
      return outcome.value.nodes.at(-1) ?? root;
    },
    answer: async (node, answerOptions = {}) => {
      const params = {
        node,
        provider: 'scripted',
        model: 'one',
        tools: tools.map(({ name }) => name),
        ...answerOptions,
      };
      const outcome = await engine.turns.generate({ agent: 'person', id: ids.next() }, root, params);
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
      return outcome.value.turns[0] ?? '';
    },
    another: (more = {}) => new LoomEngine({ ...options, store, holder: 'second', ...more }),
  };
}

/** A tool that echoes its arguments. */
export function echoTool(name: string, permission: ToolPermission = 'run', run?: Tool['run']): Tool {
  return {
    name,
    description: `echoes (${permission})`,
    parameters: { type: 'object' },
    prepare: async () => ({ permission }),
    run:
      run ??
      (async ({ arguments: text }, { answer }) => ({
        content: [{ type: 'text', text: answer ?? `echo ${text}` }],
      })),
  };
}

function recordRuns(tool: Tool, ran: string[]): Tool {
  return {
    ...tool,
    prepare: (invocation, context) => tool.prepare(invocation, context),
    run: (invocation, context, out) => {
      ran.push(`${invocation.name} ${invocation.arguments}`);
      return tool.run(invocation, context, out);
    },
  };
}

/** Waits until something holds, letting the event loop turn; throws when it never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came true');
}
