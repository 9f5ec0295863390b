import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { LoomClient } from '@loom/client';
import { temporaryDirectory } from '@loom/kernel/testing';
import { emulatedProviders, startEmulator } from '@loom/providers/testing';
import { createTools } from '@loom/tools';
import { systemClock } from '../../runtime/system-clock.ts';
import { clientOf, serve, valueOf } from '../testing/served.ts';

interface Step {
  name: string;
  parameters: PlainObject;
}

/** The facts that the calls are about. */
interface Facts {
  /** A text beside the messages. */
  block: string;
  /** A text that is still being written. */
  open: string;
  root: string;
  /** A blob of text. */
  blob: string;
  page: string;
  /** The id of the command in the background, once it is known. */
  command: string;
}

const call = (name: string, parameters: PlainObject = {}): Step => ({ name, parameters });
const patch = ['*** Begin Patch', '*** Update File: a.txt', '@@', '-two', '+three', '*** End Patch', ''].join('\n');

/** The rounds of a model that uses every tool; each call needs nothing but what stands before it. */
function roundsOf({ root, block, open, blob, page, command }: Facts): Step[][] {
  const onBlock = (name: string, more: PlainObject = {}): Step => call(`block_${name}`, { block_id: block, ...more });
  return [
    [call('list'), call('search', { pattern: 'one' }), call('read', { path: 'a.txt' }), call('current_date')],
    [call('edit', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] })],
    [call('apply_patch', { patch }), call('write', { path: 'new.txt', content: 'new\n' })],
    [call('todo', { items: [{ content: 'Use every tool', status: 'in_progress' }] })],
    [call('shell', { command: 'echo begun; until [ -e go ]; do sleep 0.02; done; echo over' })],
    [call('shell', { command: 'echo behind; sleep 1000', background: true })],
    [call('shell_output', { id: command })],
    [call('shell_kill', { id: command })],
    [call('fetch_url', { url: page })],
    [call('ask', { questions: [{ text: 'Which one?', choices: [{ label: 'A' }, { label: 'B' }] }] })],
    [call('blob_read', { blob })],
    [call('block_append', { block_id: open, text: 'two\n' })],
    [onBlock('edit', { operations: [{ op: 'insert', line: 0, content: 'zero\n' }] })],
    [onBlock('apply_patch', { patch: '@@ -1,1 +1,1 @@\n-zero\n+nil\n' })],
    [onBlock('splice', { offset: 0, delete_count: 0, insert: '# ' })],
    [onBlock('undo')],
    [onBlock('redo')],
    [onBlock('read'), onBlock('history'), onBlock('diff', { from_version: 1 }), onBlock('search', { query: 'one' })],
    [call('block_list'), call('block_sync', { versions: [] }), call('cursor_set', { block_id: block, anchor: 0 })],
    [call('block_create', { parent_id: root, role: 'user', kind: 'text', content: 'another' })],
    [call('block_status', { block_id: open, status: 'done' })],
    [call('kernel_search', { query: 'one' })],
    [call('draft_create', { title: 'Plan', text: 'one\n' }), call('draft_list')],
  ];
}

async function servePage(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => response.end('<h1>A page</h1>')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return `http://page.example:${typeof address === 'object' ? (address?.port ?? 0) : 0}/`;
}

/** Decides about every call as it comes, and answers questions. */
async function decideAll(client: LoomClient, isOver: () => boolean): Promise<string[]> {
  const asked: string[] = [];
  while (!isOver()) {
    for (const { node, tool, arguments: exact, ask } of valueOf(await client.call('turn.waiting', {})).items) {
      const outcome = await (ask.kind === 'question'
        ? client.call('turn.decide', { node, decision: 'answered', arguments: exact, answers: [{ chosen: ['A'] }] })
        : client.call('turn.decide', { node, decision: 'approved', arguments: exact }));
      if (outcome.ok) asked.push(tool);
      else assert.fail(JSON.stringify(outcome.refusal));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return asked;
}

for (const { name, wire, model, path, make } of emulatedProviders.filter((each) =>
  /^(?:anthropic|openai)$/u.test(each.name),
)) {
  test(`[AG31] a model that speaks as ${name} does uses every tool in a turn, and a second client sees the results as they come`, async (t) => {
    const directory = realpathSync(temporaryDirectory(t));
    writeFileSync(join(directory, 'a.txt'), 'one\n');
    const facts: Facts = { root: '', block: '', open: '', blob: '', page: await servePage(t), command: '' };
    const emulator = await startEmulator(wire, ({ rounds }, { body }) => {
      facts.command = /as (command-\w+|[\w-]+)\. shell_output/u.exec(body)?.[1] ?? facts.command;
      if (body.includes('Now plan'))
        return rounds === 0
          ? { said: [{ call: 'exit_plan', arguments: JSON.stringify({ plan: 'Nothing is left.' }), id: 'call_plan' }] }
          : { said: [{ say: 'Planned.' }] };
      const steps = roundsOf(facts)[rounds]?.map(({ name: tool, parameters }, index) => ({
        call: tool,
        arguments: JSON.stringify(parameters),
        id: `call_${rounds}_${index}`,
      }));
      return { said: steps ?? [{ say: 'All of them work.' }] };
    });
    t.after(() => emulator.close());
    const provider = make({
      baseURL: `${emulator.url}${path}`,
      key: async () => 'key',
      random: Math.random,
      clock: systemClock,
    });
    const network = { resolve: async () => ['127.0.0.1'], mayReach: () => true };
    const { url, token, engine } = await serve(t, {
      providers: [provider],
      tools: (dataDir, processes) =>
        createTools({
          clock: systemClock,
          processes,
          environment: process.env,
          platform: process.platform,
          dataDir,
          network,
        }),
    });
    const [first, second] = [clientOf(url, token), clientOf(url, token, 'events')];
    const { root } = valueOf(await first.call('root.create', { config: { directory } }));
    facts.root = root;
    facts.blob = await engine.blobs.put(Buffer.from('a blob of text'));
    const made = await first.call('block.create', { parent_id: root, role: 'user', kind: 'text', content: 'one\n' });
    facts.block = valueOf(made).block_id;
    const begun = await first.call('block.create', { parent_id: root, role: 'user', kind: 'text' });
    facts.open = valueOf(begun).block_id;
    const listed = valueOf(await first.call('tool.list', { root, limit: 100 })).items.map((tool) => tool.name);
    const tools = listed.filter((tool) => tool !== 'exit_plan');
    const planned = roundsOf(facts).flat();
    assert.deepEqual([...new Set(planned.map((step) => step.name))].toSorted(), tools.toSorted(), 'every tool is used');
    const followed = second.follow(root);
    t.after(() => followed.close());
    assert.equal(await followed.ready(), true);
    const say = async (parent: string, content: string, offered: string[]): Promise<string> => {
      const { nodes } = valueOf(await first.call('node.append', { parent, messages: [{ role: 'user', content }] }));
      const order = {
        node: nodes[0] ?? '',
        provider: provider.id,
        model,
        tools: offered,
        settings: { max_rounds: 40 },
      };
      return valueOf(await first.call('turn.start', order)).turns[0] ?? '';
    };
    const turn = await say(root, 'Use every tool.', tools);
    const over = { isOver: false };
    const running = new Set<string>();
    const deciding = decideAll(first, () => {
      const nodes = [...followed.replica.nodes.values()];
      for (const { role, tool, blocks } of nodes) {
        const [shown] = blocks;
        if (role !== 'tool' || tool !== 'running' || shown?.type !== 'command' || shown.stdout !== 'begun\n') continue;
        running.add(shown.command);
        writeFileSync(join(directory, 'go'), '');
      }
      return over.isOver;
    });
    const ended = valueOf(await first.call('turn.wait', { root, turn }));
    over.isOver = true;
    const asked = await deciding;
    const results = [...followed.replica.nodes.values()].filter(({ role }) => role === 'tool');
    const failed = results.filter(({ tool }) => tool !== 'result').map(({ blocks }) => JSON.stringify(blocks));
    assert.deepEqual([ended, failed], [{ ended: 'done' }, []]);
    assert.equal(results.length, planned.length, 'the second client has every result');
    assert.equal(running.size, 1, 'it has seen output of a command that was still running');
    const needing = ['apply_patch', 'ask', 'edit', 'fetch_url', 'shell', 'shell', 'write'];
    assert.deepEqual(asked.toSorted(), needing);
    assert.equal(readFileSync(join(directory, 'a.txt'), 'utf8'), 'three\n');
    valueOf(await first.call('root.configure', { root, config: { approval_mode: 'plan' } }));
    const last = [...(await engine.forest.log(root).state()).nodes.values()].at(-1)?.id ?? root;
    const plan = await say(last, 'Now plan the rest.', ['exit_plan']);
    const again = { isOver: false };
    const approving = decideAll(first, () => again.isOver);
    assert.deepEqual(valueOf(await first.call('turn.wait', { root, turn: plan })), { ended: 'done' });
    again.isOver = true;
    assert.deepEqual(await approving, ['exit_plan']);
  });
}
