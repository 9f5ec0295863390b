import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { buildContext, LoomEngine, pathTo } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import type { NodeState, RootState, TurnState } from '@loom/kernel';
import { createMemoryStore } from '@loom/stores/memory';
import { instantClock } from '@loom/kernel/testing';
import { createDemoProvider, demoModels, demoTools } from './index.ts';
import { topics } from './topics.ts';

const sha256 = { hex: (text: string): string => hash('sha256', text) };
const clock = instantClock();
const tools = demoTools(clock);
const described = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));

test('[CX20] the prefix of every block that the demo writes is the one that a reload gives', async () => {
  const store = createMemoryStore();
  let last = 0;
  const ids = { next: () => String((last += 1)) };
  const providers = [createDemoProvider({ clock })];
  const engine = new LoomEngine({ store, clock, ids, hash: sha256, providers, tools, holder: 'test' });
  const created = await engine.forest.createRoot(by(ids), { systemPrompt: 'Be brief.' });
  assert.ok(created.ok);
  const { root } = created.value;
  for (const [index, { name: model }] of demoModels.entries()) {
    // The models' input and output differ by topic; for the others a few topics suffice.
    const some = index === 0 ? topics : topics.slice(0, 3);
    for (const { example } of some) await converse(engine, ids, { root, model, text: example });
  }
  await engine.close();

  const state = await new Forest({ store, clock, ids }).log(root).state();
  let generated = 0;
  for (const turn of state.turns.values()) {
    const own = nodesOf(state, turn).flatMap(({ blocks }) => blocks.flatMap(({ block_id = '' }) => block_id));
    const { invalid } = buildContext(pathTo(state, nodesOf(state, turn).at(-1)?.id ?? turn.node), headOf(turn), sha256);
    assert.deepEqual(
      invalid.filter((block) => own.includes(block)),
      [],
      turn.id,
    );
    generated += own.length;
  }
  assert.ok(generated > 2 * topics.length);
});

const by = (ids: { next: () => string }) => ({ agent: 'person', id: ids.next() });

/** Sends one message and waits for its answer; every request for approval is granted. */
async function converse(
  engine: LoomEngine,
  ids: { next: () => string },
  { root, model, text }: { root: string; model: string; text: string },
): Promise<void> {
  const message: Message = { role: 'user', content: [{ type: 'text', text }] };
  const said = await engine.forest.append(by(ids), root, { parent: root, messages: [message] });
  assert.ok(said.ok);
  const node = said.value.nodes.at(-1) ?? root;
  const names = tools.map(({ name }) => name);
  const unsubscribe = engine.forest.log(root).subscribe((item) => {
    const events = item.type === 'change' ? item.events : [];
    if (events.some(({ type }) => type === 'node-added')) void approveAll(engine, ids, root);
  });
  const started = await engine.turns.generate(by(ids), root, { node, provider: 'demo', model, tools: names });
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  await engine.turns.wait(turn);
  unsubscribe();
}

async function approveAll(engine: LoomEngine, ids: { next: () => string }, root: string): Promise<void> {
  const state = await engine.forest.log(root).state();
  for (const node of state.nodes.values()) {
    if (node.tool !== 'waiting' || state.approvals.has(node.id)) continue;
    const calls = [...state.nodes.values()].flatMap(({ blocks }) => blocks);
    const call = calls.findLast((block) => block.type === 'tool-use' && block.id === node.tool_call_id);
    if (call?.type !== 'tool-use') continue;
    const exact = call.arguments ?? JSON.stringify(call.parameters);
    const approval = { node: node.id, decision: 'approved' as const, arguments: exact, text: 'yes' };
    await engine.turns.decide({ ...by(ids), type: 'person' }, root, approval);
  }
}

function nodesOf(state: RootState, turn: TurnState): NodeState[] {
  return [...state.nodes.values()].filter((node) => node.turn === turn.id);
}

function headOf({ provider, model, tools: names }: TurnState) {
  const offered = described.filter(({ name }) => names.includes(name));
  return { provider, model, systemPrompt: 'Be brief.', tools: offered };
}
