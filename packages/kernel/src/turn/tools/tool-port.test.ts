import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBlock } from './open-block.ts';
import type { ProcessOrder, ProcessPort } from '../../ports.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { call, say, ScriptedProvider } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';

const waitFor = async (world: Awaited<ReturnType<typeof createWorld>>, tool: string) =>
  until(async () => (await world.nodes()).some((node) => node.tool === tool && (tool !== 'waiting' || node.ask)));

test('[TU29] a tool says before a call what a person has to decide; the node tells it until the decision, which keeps who and when', async () => {
  const asking: Tool = {
    ...echoTool('write'),
    prepare: async () => ({ permission: 'ask', preview: [{ type: 'text', text: 'will write a.md' }] }),
  };
  const refusing: Tool = {
    ...echoTool('rm'),
    prepare: async () => ({ permission: 'deny', preview: [{ type: 'text', text: 'never' }] }),
  };
  const world = await createWorld([call(['c', 'write', '{}'], ['d', 'rm', '{}']), say('done')], [asking, refusing]);
  const turn = await world.answer(await world.say('go'));
  assert.equal(world.engine.turns.atWork, 1);
  await waitFor(world, 'waiting');
  await until(async () => world.engine.turns.atWork === 0);
  assert.equal(world.engine.turns.running, 1, 'a turn that waits for a person runs, and is not at work');
  const [, , waiting] = await world.nodes();
  assert.deepEqual(waiting?.ask, { kind: 'ask', preview: [{ type: 'text', text: 'will write a.md' }] });
  world.clock.advance(5000);
  const request = { agent: 'ann', id: 'decides', type: 'person' as const };
  const decision = { node: waiting.id, decision: 'approved' as const, arguments: '{}' };
  assert.ok((await world.engine.turns.decide(request, world.root, decision)).ok);
  assert.equal(await world.engine.turns.wait(turn), 'done');
  const [, , written, removed] = await world.nodes();
  assert.equal(written?.ask, undefined);
  assert.equal(written?.tool, 'result');
  const { by, at } = (await world.state()).approvals.get(waiting.id) ?? {};
  assert.deepEqual([by, at], ['ann', new Date(world.clock.now()).toISOString()]);
  assert.deepEqual(written.decided, { decision: 'approved', by, at }, 'those who follow the conversation are told');
  assert.equal(removed?.tool, 'denied');
  assert.deepEqual(
    removed.blocks.map((block) => block.type === 'text' && block.text),
    ['never'],
  );
  assert.deepEqual(world.ran, ['write {}']);
});

test('[TU30] what a tool streams grows in the node of its result while it runs', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const command: Tool = {
    ...echoTool('sh'),
    async run(_invocation, _context, out) {
      const shown = openBlock(out, { type: 'command', command: 'ls', stdout: '' });
      await shown.append('stdout', 'a.md\n');
      await shown.append('stdout', 'b.md\n');
      await released;
      await shown.end({ exit_code: 0 });
      return { content: [{ type: 'text', text: 'two files' }] };
    },
  };
  const world = await createWorld([call(['c', 'sh', '{}']), say('done')], [command]);
  const turn = await world.answer(await world.say('go'));
  await waitFor(world, 'running');
  world.clock.advance(200);
  const running = async () => (await world.nodes()).find(({ tool }) => tool === 'running')?.blocks[0];
  await until(async () => {
    const block = await running();
    return block?.type === 'command' && block.stdout === 'a.md\nb.md\n' && block.status === 'running';
  });
  release();
  assert.equal(await world.engine.turns.wait(turn), 'done');
  const result = (await world.nodes()).find(({ role }) => role === 'tool');
  assert.deepEqual(
    result?.blocks.map(({ type, status }) => [type, status]),
    [
      ['command', 'done'],
      ['text', 'done'],
    ],
  );
  const [block] = result.blocks;
  assert.ok(block?.type === 'command' && block.exit_code === 0 && block.ended_at !== undefined);
  assert.ok(result.started_at !== undefined && result.ended_at !== undefined);
});

test('[TU30] a stopped turn keeps what its tools had streamed, and bad output is named in the result', async () => {
  const endless: Tool = {
    ...echoTool('sh'),
    async run(_invocation, { signal }, out) {
      await out.start('c', { type: 'command', command: 'yes' });
      await out.append('c', 'stdout', 'y');
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
      });
      return { content: [] };
    },
  };
  const world = await createWorld([call(['c', 'sh', '{}'])], [endless]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await world.nodes()).some(({ blocks }) => blocks.some(({ type }) => type === 'command')));
  await until(() => world.ran.length === 1);
  assert.ok((await world.engine.turns.abort({ agent: 'ann', id: 'stop' }, world.root, turn)).ok);
  const [block] = (await world.nodes()).find(({ role }) => role === 'tool')?.blocks ?? [];
  assert.ok(block?.type === 'command' && block.stdout === 'y' && block.error?.code === 'stopped');

  const sloppy: Tool = {
    ...echoTool('sloppy'),
    async run(_invocation, _context, out) {
      await out.start('a', { type: 'text', text: '' });
      await out.append('a', 'stdout', 'no such field');
      await out.append('b', 'text', 'never opened');
      await out.append('a', 'text', 'kept');
      return { content: [] };
    },
  };
  const other = await createWorld([call(['c', 'sloppy', '{}']), say('done')], [sloppy]);
  assert.equal(await other.engine.turns.wait(await other.answer(await other.say('go'))), 'done');
  const result = (await other.nodes()).find(({ role }) => role === 'tool');
  const [kept, problem] = result?.blocks ?? [];
  assert.ok(kept?.type === 'text' && kept.text === 'kept' && kept.status === 'done');
  assert.ok(problem?.type === 'text');
  assert.match(problem.text, /sloppy gave a result .*a text block streams no stdout; block b is not open/);
  assert.equal(result?.tool, 'error');
});

test('[TU30] output that cannot even be read is named in the result too', async () => {
  const unreadable = (): never => {
    throw new Error('not to be read');
  };
  const hostile: Tool = {
    ...echoTool('hostile'),
    async run(_invocation, _context, out) {
      await out.start('a', { type: 'text', text: 'kept' });
      await out.start('b', Object.defineProperty({ type: 'text', text: '' }, 'text', { get: unreadable }));
      await out.end('a', Object.defineProperty({ type: 'text', text: '' }, 'text', { get: unreadable }));
      return { content: [] };
    },
  };
  const world = await createWorld([call(['c', 'hostile', '{}']), say('done')], [hostile]);
  assert.equal(await world.engine.turns.wait(await world.answer(await world.say('go'))), 'done');
  const result = (await world.nodes()).find(({ role }) => role === 'tool');
  const [kept, problem] = result?.blocks ?? [];
  assert.ok(kept?.type === 'text' && kept.text === 'kept' && kept.status === 'done' && problem?.type === 'text');
  assert.match(problem.text, /block b cannot be read: not to be read/u);
  assert.equal(result?.tool, 'error');
});

test('[TU31] tools and providers are looked up when they are used, and a turn is told of its tools what they were at its start', async () => {
  const contexts: ToolContext[] = [];
  const tool: Tool = {
    ...echoTool('look'),
    async run(invocation, context) {
      contexts.push(context);
      tools[0] = { ...tool, description: 'another one' };
      return { content: [{ type: 'text', text: invocation.id }] };
    },
  };
  const tools: Tool[] = [tool];
  const world = await createWorld([call(['c', 'look', '{}']), say('done'), say('again')], []);
  const config = { directory: '/tmp', tools: ['look'], approval_mode: 'plan' };
  const created = await world.engine.forest.createRoot({ agent: 'ann', id: 'new' }, config);
  assert.ok(created.ok);
  const { root } = created.value;
  const engine = world.another({ tools: () => tools });
  const appended = await engine.forest.append({ agent: 'ann', id: 'said' }, root, {
    parent: root,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  });
  assert.ok(appended.ok);
  for (const id of ['first', 'second']) {
    const params = { node: appended.value.nodes[0] ?? '', provider: 'scripted', model: 'one' };
    const started = await engine.turns.generate({ agent: 'ann', id }, root, params);
    assert.ok(started.ok);
    assert.equal(await engine.turns.wait(started.value.turns[0] ?? ''), 'done');
    assert.ok((await engine.forest.log(root).state()).nodes.has(started.value.nodes[0] ?? ''));
  }
  const descriptions = world.provider.requests.map((request) => request.tools.map(({ description }) => description));
  assert.deepEqual(descriptions, [['echoes (run)'], ['echoes (run)'], ['another one']]);
  const [{ directory, approvalMode } = {}] = contexts;
  assert.deepEqual({ directory, approvalMode }, { directory: '/tmp', approvalMode: 'plan' });
  assert.deepEqual(
    world.provider.requests.map((request) => request.directory),
    ['/tmp', '/tmp', '/tmp'],
  );
  await engine.close();
});

test('[TU32] several models may answer side by side; the answer names the turns and the nodes that they begin with', async () => {
  const world = await createWorld([say('one'), say('two')]);
  const node = await world.say('go');
  const outcome = await world.engine.turns.generate({ agent: 'ann', id: 'both' }, world.root, {
    node,
    provider: 'scripted',
    model: 'one',
    answers: [{ provider: 'scripted', model: 'two', settings: { temperature: 1 } }],
  });
  assert.ok(outcome.ok);
  const { turns, nodes } = outcome.value;
  const ended = await Promise.all(turns.map((turn) => world.engine.turns.wait(turn)));
  assert.deepEqual(ended, ['done', 'done']);
  const state = await world.state();
  assert.deepEqual(
    nodes.map((id) => {
      const { parent, source } = state.nodes.get(id) ?? {};
      return [parent, source?.type === 'model' && source.model_name];
    }),
    [
      [node, 'one'],
      [node, 'two'],
    ],
  );
  assert.equal(new Set(turns.map((turn) => state.turns.get(turn)?.batch)).size, 1);
  const missing = await world.engine.turns.generate({ agent: 'ann', id: 'no' }, world.root, {
    node,
    provider: 'scripted',
    model: 'one',
    answers: [{ provider: 'nowhere', model: 'x' }],
  });
  assert.ok(!missing.ok && missing.refusal.reason === 'unknown-provider');
});

test('[TU76] a tool is told who asked for the turn, before it runs and while it runs, and the log keeps it', async () => {
  const told: [string, string | undefined][] = [];
  const curious: Tool = {
    ...echoTool('who'),
    prepare: async (_invocation, { startedBy }) => {
      told.push(['prepare', startedBy]);
      return { permission: 'run' };
    },
    run: async (_invocation, { startedBy }) => {
      told.push(['run', startedBy]);
      return { content: [] };
    },
  };
  const world = await createWorld([call(['c', 'who', '{}']), say('done')], [curious]);
  const params = { node: await world.say('go'), provider: 'scripted', model: 'one', tools: ['who'] };
  const started = await world.engine.turns.generate({ agent: 'ann', id: 'asks' }, world.root, params);
  assert.ok(started.ok);
  await world.engine.turns.wait(started.value.turns[0] ?? '');
  assert.deepEqual(told, [
    ['prepare', 'ann'],
    ['run', 'ann'],
  ]);
  const { turns } = await world.another().forest.log(world.root).state();
  assert.equal(turns.get(started.value.turns[0] ?? '')?.by, 'ann');
});

test('[TU77] programs of a tool are stopped with its turn, unless it says otherwise; the port is closed with the engine', async () => {
  const orders: ProcessOrder[] = [];
  let closings = 0;
  const processes: ProcessPort = {
    spawn: async (order) => {
      orders.push(order);
      return { ok: false, refusal: { reason: 'failed', message: 'only for show' } };
    },
    close: async () => void (closings += 1),
  };
  const own = new AbortController();
  const running: Tool = {
    ...echoTool('sh'),
    run: async (_invocation, { processes: port, signal }) => {
      const order = { command: ['make'], directory: '/', environment: {} };
      await port?.spawn(order);
      await port?.spawn({ ...order, signal: own.signal });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { content: [] };
    },
  };
  const world = await createWorld();
  const provider = new ScriptedProvider(call(['c', 'sh', '{}']));
  const engine = world.another({ providers: [provider], tools: [running], processes });
  const params = { node: await world.say('go'), provider: 'scripted', model: 'one', tools: ['sh'] };
  const started = await engine.turns.generate({ agent: 'ann', id: 'asks' }, world.root, params);
  assert.ok(started.ok);
  await until(() => orders.length === 2);
  const aborted = (): (boolean | undefined)[] => orders.map(({ signal }) => signal?.aborted);
  assert.deepEqual(aborted(), [false, false]);
  assert.ok((await engine.turns.abort({ agent: 'ann', id: 'stops' }, world.root, started.value.turns[0] ?? '')).ok);
  assert.deepEqual(aborted(), [true, false]);
  assert.equal(closings, 0);
  await engine.close();
  assert.equal(closings, 1);
});

test('[TU120] a call by an alias runs the tool if the turn has it, and tools are told which rules were allowed', async () => {
  const told: unknown[] = [];
  const rules = [{ tool: 'sh', effect: 'allow' as const }];
  const asking: Tool = {
    ...echoTool('sh'),
    aliases: ['run_it'],
    prepare: async (_invocation, { allowed }) => {
      told.push(allowed);
      return { permission: 'ask', rules };
    },
  };
  const other: Tool = { ...echoTool('other'), aliases: ['elsewhere'] };
  const world = await createWorld(
    [call(['a', 'run_it', '{"x":1}']), call(['b', 'sh', '{}'], ['c', 'elsewhere', '{}']), say('done')],
    [asking, other],
  );
  const turn = await world.answer(await world.say('go'), { tools: ['sh'] });
  const ended = world.engine.turns.wait(turn);
  await waitFor(world, 'waiting');
  const waiting = (await world.nodes()).find(({ ask }) => ask !== undefined);
  const request = { agent: 'ann', id: 'decides', type: 'person' as const };
  const decision = { node: waiting?.id ?? '', decision: 'approved' as const, arguments: '{"x":1}' };
  const scoped = { ...decision, scope: 'conversation' as const };
  assert.ok((await world.engine.turns.decide(request, world.root, scoped)).ok);
  assert.equal(await ended, 'done');
  assert.deepEqual(told, [[], rules]);
  const results = (await world.nodes()).filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.map(({ tool, blocks: [block] }) => [tool, block?.type === 'text' && block.text.slice(0, 24)]),
    [
      ['result', 'echo {"x":1}'],
      ['result', 'echo {}'],
      ['error', 'The tool elsewhere is no'],
    ],
  );
});
