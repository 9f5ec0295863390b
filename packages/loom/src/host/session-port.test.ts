import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { LoomEngine } from '@loom/kernel';
import type { Caller, Provider, ProviderCall, ProviderEvent, SessionOutcome } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { createModels } from '../models/models.ts';
import { wire } from '../runtime/opened-folder.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { hostOperations } from './host-operations.ts';

type Speak = (call: ProviderCall) => AsyncIterable<ProviderEvent>;

const begin: ProviderEvent = { type: 'call-start' };
const end: ProviderEvent = { type: 'call-end', reason: 'stop' };

function words(text: string, message = 'm'): ProviderEvent {
  return { type: 'block', message, role: 'assistant', block: { type: 'text', text } };
}

/** An answer with a call that its provider has run. */
async function* worked(): AsyncGenerator<ProviderEvent> {
  yield begin;
  yield words('I look.');
  const call = { type: 'tool-use' as const, id: 't1', name: 'Bash', parameters: { command: 'ls' } };
  yield { type: 'block', message: 'm', role: 'assistant', block: { ...call, executed: 'provider' } };
  const result = { type: 'text' as const, text: 'a file' };
  yield { type: 'block', message: 'r', role: 'tool', tool_call_id: 't1', block: result };
  yield words('There is a file.', 'm2');
  yield end;
}

/** Creates Loom over a store, with an agent that plays a script, call by call. */
function createStage(t: TestContext, ...calls: Speak[]) {
  const dataDir = temporaryDirectory(t);
  const models = createModels({ dataDir, env: { HOME: dataDir }, clock: systemClock });
  const agent: Provider = {
    id: 'agent',
    runsTools: true,
    stream: (_request, call) => (calls.shift() ?? worked)(call),
  };
  const engine = new LoomEngine({
    ...wire({ dataDir, models, providers: [agent], operations: hostOperations(models) }),
    store: createMemoryStore({ now: Date.now }),
  });
  t.after(() => engine.close());
  const caller = (): Caller => ({ agent: 'person', type: 'person', role: 'owner', id: randomUUID(), door: 'library' });
  const ask = async (name: string, params: unknown): Promise<unknown> => {
    const outcome = await engine.call(name, caller(), params);
    assert.ok(outcome.ok, JSON.stringify(outcome));
    return outcome.value;
  };
  const tell = async (parent: string, text: string): Promise<string> => {
    const content = [{ type: 'text', text }];
    const said = await ask('node.append', { parent, messages: [{ role: 'user', content }] });
    return (
      z
        .object({ nodes: z.array(z.string()) })
        .parse(said)
        .nodes.at(-1) ?? ''
    );
  };
  return {
    home: dataDir,
    engine,
    ask,
    create: async () => z.object({ root: z.string() }).parse(await ask('root.create', {})).root,
    tell,
    /** Sends a message, and waits for the answer; returns its last node. */
    async talk(parent: string, text: string): Promise<string> {
      const node = await tell(parent, text);
      const { turns } = z
        .object({ turns: z.array(z.string()) })
        .parse(await ask('turn.start', { node, provider: 'agent', model: 'm' }));
      const root = node.slice(0, node.lastIndexOf('/'));
      assert.deepEqual(await ask('turn.wait', { root, turn: turns[0] }), { ended: 'done' });
      const state = await engine.forest.log(root).state();
      return [...state.nodes.keys()].at(-1) ?? '';
    },
    async take(file: string) {
      const { job } = z.object({ job: z.string() }).parse(await ask('import.start', { paths: [file] }));
      while (engine.jobs.get(job)?.facts.state === 'running') await new Promise(setImmediate);
      const report = z.looseObject({ files: z.int(), roots_added: z.int(), nodes_added: z.int() });
      return report.parse(engine.jobs.get(job)?.result);
    },
  };
}

/** Writes a session where its program looks for it. */
async function write(home: string, answer: SessionOutcome): Promise<string> {
  assert.ok(answer.ok);
  const file = join(home, answer.session.path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  for await (const line of answer.session.lines()) appendFileSync(file, line);
  return file;
}

for (const format of ['claude-code', 'codex'])
  test(`[XP22] an import of a session of ${format} that a provider was given adds nothing`, async (t) => {
    let file = '';
    const stage = createStage(t, worked, async function* (call) {
      file = await write(stage.home, await call.session(format, { directory: '/home/me' }));
      yield begin;
      yield words('I have read it.');
      yield end;
    });
    const root = await stage.create();
    await stage.talk(await stage.talk(root, 'Look'), 'And now?');
    const before = (await stage.engine.forest.log(root).state()).seq;
    const text = readFileSync(file, 'utf8');
    for (const said of ['Look', 'I look.', 'a file', 'There is a file.']) assert.ok(text.includes(said), said);
    assert.ok(!text.includes('And now?'), 'what is to be answered is for the provider to say');
    const { files, roots_added, nodes_added } = await stage.take(file);
    assert.deepEqual({ files, roots_added, nodes_added }, { files: 1, roots_added: 0, nodes_added: 0 });
    const { nodes, seq } = await stage.engine.forest.log(root).state();
    assert.deepEqual([nodes.size, seq >= before], [6, true]);
  });

test('[XP22] nor does one that the agent has gone on with, once it has said what its messages are called', async (t) => {
  const [asked, answered] = [randomUUID(), randomUUID()];
  let file = '';
  const stage = createStage(t, worked, async function* (call) {
    const answer = await call.session('claude-code', { directory: '/home/me' });
    file = await write(stage.home, answer);
    assert.ok(answer.ok);
    const last = z.looseObject({ uuid: z.string() }).parse(
      JSON.parse(
        readFileSync(file, 'utf8')
          .trimEnd()
          .split('\n')
          .findLast((line) => line.includes('"uuid"')) ?? '',
      ),
    );
    const about = { isSidechain: false, sessionId: answer.session.id, cwd: '/home/me', version: '2.1.325' };
    const at = { timestamp: new Date().toISOString() };
    const question = { role: 'user', content: 'And now?' };
    const reply = { id: 'msg_1', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'I go on.' }] };
    const lines = [
      { ...about, ...at, parentUuid: last.uuid, type: 'user', uuid: asked, message: question },
      { ...about, ...at, parentUuid: asked, type: 'assistant', uuid: answered, message: reply },
    ];
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    yield begin;
    yield { type: 'session', source: 'claude-code', id: answer.session.id };
    yield { type: 'named', origin: { source: 'claude-code', id: asked }, keys: [asked] };
    yield words('I go on.');
    yield { type: 'named', message: 'm', origin: { source: 'claude-code', id: answered }, keys: [answered] };
    yield end;
  });
  const root = await stage.create();
  await stage.talk(await stage.talk(root, 'Look'), 'And now?');
  const { roots_added, nodes_added } = await stage.take(file);
  assert.deepEqual({ roots_added, nodes_added }, { roots_added: 0, nodes_added: 0 });
});

test('[XP22] a branch that a session cannot express, or a program that is not known, is refused with the reason', async (t) => {
  const answers: SessionOutcome[] = [];
  const stage = createStage(t, async function* (call) {
    answers.push(await call.session('claude-code'), await call.session('notepad'));
    yield begin;
    yield words('Well.');
    yield end;
  });
  const root = await stage.create();
  const thought = { role: 'assistant', content: [{ type: 'thinking', text: 'Unsigned' }] };
  const said = await stage.ask('node.append', { parent: root, messages: [thought] });
  const { nodes } = z.object({ nodes: z.array(z.string()) }).parse(said);
  await stage.talk(nodes[0] ?? '', 'What did you think?');
  assert.deepEqual(answers, [
    {
      ok: false,
      refusal: {
        reason: 'not-expressible',
        notes: ['A thought has no signature of Anthropic: it is left out, because Claude does not take it.'],
      },
    },
    { ok: false, refusal: { reason: 'unknown-format', formats: ['claude-code', 'codex'] } },
  ]);
});
