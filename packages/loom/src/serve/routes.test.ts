import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClientText } from '@loom/blocks/document';
import { LoomClient } from '@loom/client';
import type { Caller, Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { instantClock, temporaryDirectory } from '@loom/kernel/testing';
import { startPlanEmulator } from '@loom/providers/testing';
import { z } from 'zod';
import { Conformance } from './testing/conforming-fetch.ts';
import { clientPorts, openTestTokens, serve } from './testing/served.ts';

const ownerOf = (id: string): Caller => ({ agent: 'person', type: 'person', role: 'owner', door: 'command', id });

function valueOf<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

test('[SV48] every operation answers with content through the typed client, and as the OpenAPI document says', async (t) => {
  const tokens = await openTestTokens();
  const { engine, url, token } = await serve(t, { pace: instantClock(), tokens });
  tokens.push.serve('https://loom.example', { problemOf: async () => undefined, send: async () => 201 });
  const conformance = new Conformance(engine.operations);
  const client = new LoomClient({ url, token, ...clientPorts(), fetch: conformance.fetch });
  const ask = async <Name extends string>(
    name: Name,
    params: ParamsOf<Name>,
    key?: string,
  ): Promise<ResultOf<Name>> => {
    const outcome = await client.call(name, params, key === undefined ? {} : { key });
    return outcome.ok ? outcome.value : assert.fail(`${name}: ${JSON.stringify(outcome.refusal)}`);
  };
  /** Calls an operation, and compares a part of the answer with the expected one. */
  const says = async <Name extends string>(name: Name, params: ParamsOf<Name>, expected: unknown) => {
    const value = await ask(name, params);
    assert.partialDeepStrictEqual(value, expected, `${name}: ${JSON.stringify(value)}`);
    return value;
  };
  const texts = ({ nodes }: ResultOf<'node.path'>): string[] =>
    nodes.map(({ message }) => message.content.map((block) => ('text' in block ? block.text : block.type)).join('|'));
  const answerer = { provider: 'demo', model: 'demo' };

  // A conversation, said to and answered.
  const { root } = await ask('root.find_or_create', { config: { systemPrompt: 'Be brief.' } });
  await says('root.find_or_create', { config: { systemPrompt: 'Be brief.' } }, { root });
  const said = await ask('node.append', {
    parent: root,
    messages: [{ role: 'user', content: 'echo one\ntwo\nthree' }],
  });
  const [question = ''] = said.nodes;
  const { turns } = await ask('turn.start', { node: question, ...answerer });
  await says('turn.wait', { root, turn: turns[0] ?? '' }, { ended: 'done' });
  await says('turn.list', { root }, { items: [{ id: turns[0], ended: 'done' }] });
  const { nodes: answers } = await ask('node.children', { node: question });
  const answer = answers[0]?.id ?? '';
  const path = await ask('node.path', { node: answer });
  assert.deepEqual(texts(path), ['echo one\ntwo\nthree', 'one\ntwo\nthree']);
  const retried = await ask('turn.retry', { node: answer, ...answerer });
  await ask('turn.wait', { root, turn: retried.turns[0] ?? '' });
  assert.deepEqual(texts(await ask('node.siblings', { node: answer })).length, 2);
  await says('node.get', { node: answer }, { message: { role: 'assistant' }, parent_id: question });
  await says('root.get', { root }, { config: { systemPrompt: 'Be brief.' }, nodes: 3 });
  await says('root.list', {}, { items: [{ id: root, nodes: 3 }] });
  await says('root.mark', { root, title: 'Counting', tags: ['numbers'] }, { root });
  await says('root.get', { root }, { title: 'Counting' });
  await says('tag.list', {}, { items: [{ tag: 'numbers', roots: 1 }] });
  await says('root.list', { tag: 'numbers' }, { items: [{ id: root }] });
  await says('project.list', {}, { items: [{ name: '', conversations: 1 }] });
  const folder = temporaryDirectory(t);
  await says('project.get', { directory: folder }, { project: folder, config: {} });
  const demo = { provider: 'demo', model: 'demo' };
  await says('root.suggest_titles', { ...demo, dry_run: true }, { ...demo, untitled: 0 });
  await says('tree.turns', { root, node: answer }, { items: [{ node: question }] });
  await says('root.list', { tag: 'letters' }, { items: [] });
  await says(
    'root.configure',
    { root, config: { custom: { mood: 'calm' } } },
    { config: { custom: { mood: 'calm' } } },
  );
  await says('id.list', {}, { items: [root] });
  await says('id.resolve', { text: 'node-2', root }, { node: answer });
  await says('context.get', { node: answer, ...answerer }, { system_prompt: 'Be brief.', tokens: 13 });
  await says('context.cost', { node: answer, content: 'other' }, { costs: [{ leaf: answer }] });
  await says('context.cost', { node: question, exclude: null }, { costs: [], unseen: 0 });
  await says('context.size', { node: answer, ...answerer }, { messages: 2, tokens: 13, invalid: 0, ...answerer });
  await says('call.diff', { node: answer }, { rebuilt: true });
  await says('tool.list', { limit: 1 }, { items: [{ name: 'ask_person' }], next: 'ask_person' });
  await says('call.list', { root }, { items: [] });
  await says('approval.list', { root }, { items: [] });
  // The demo calls no service, so nothing is kept of it: its input is made again.
  await says('call.get', { node: answer }, { model: 'demo', nodes: [answer], rebuilt: true });
  await says('operation.get', { name: 'node.append' }, { name: 'node.append', effect: 'changes' });
  assert.ok((await ask('operation.list', {})).items.some(({ name }) => name === 'block.edit'));

  // The shape of the conversation.
  await says('tree.topology', { top: root }, { nodes: [{ id: question }] });
  await says('tree.outline', { top: root }, { items: [{ id: question, words: 'echo one\ntwo\nthree', children: 2 }] });
  await says('tree.subtree', { top: answer }, { items: [{ id: answer }] });
  await says('tree.recent_leaves', { root }, { nodes: [{ parent_id: question }] });
  await says('tree.diff', { left: answer, right: question }, { ancestor: question });
  const edited = await says(
    'node.edit',
    { node: question, content: 'echo other', mode: 'sibling' },
    { how: 'sibling' },
  );
  await ask('tree.undo', { root });
  await says('node.get', { node: edited.node }, { metadata: { deleted: true } });
  await ask('tree.redo', { root });
  await says('node.remove', { node: edited.node }, { removed: [edited.node] });
  await says('node.restore', { node: edited.node }, { node: edited.node });
  await says('node.bookmark', { node: answer, title: 'kept' }, { node: answer });
  await says('node.get', { node: answer }, { bookmark: 'kept' });
  await says('bookmark.list', {}, { items: [{ node: answer, title: 'kept', root_title: 'Counting' }] });
  await says('node.mark', { node: answer, tags: ['seen'] }, { node: answer });
  await says('node.get', { node: answer }, { metadata: { tags: ['seen'] } });
  await says('node.remove_siblings', { node: answer }, { kept: [] });
  assert.deepEqual(texts(await ask('node.children', { node: question })), ['one\ntwo\nthree']);
  await ask('node.append', { parent: edited.node, messages: [{ role: 'assistant', content: 'x' }] });
  await says('node.remove_children', { node: edited.node }, { kept: [] });
  assert.deepEqual(texts(await ask('node.children', { node: edited.node })), []);
  const block = path.nodes[1]?.message.content[0]?.block_id ?? '';
  const forked = await ask('node.fork', { block_id: block });
  assert.deepEqual(texts(await ask('node.path', { node: forked.tip })).at(-1), 'one\ntwo\nthree');
  const halves = ['half', ' and half'].map((content) => ({ role: 'assistant' as const, content }));
  const two = await ask('node.append', { parent: edited.node, messages: halves });
  const merged = await ask('node.merge', { node: two.nodes[1] ?? '' });
  assert.deepEqual(texts(await ask('node.path', { node: merged.node })), ['echo other', 'half| and half']);
  const moved = await ask('node.move', { node: merged.node, parent: question });
  assert.equal(texts(await ask('node.path', { node: moved.node }))[0], 'echo one\ntwo\nthree');

  // The texts of the conversation.
  const at = { block_id: block };
  await says('block.read', at, { line_count: 3 });
  await says('block.search', { ...at, query: 'tw.' }, { matches: [{ line: 1 }] });
  const found = await ask('kernel.search', { query: 'three', kinds: ['text'], roots: [root] });
  assert.ok(found.blocks.some(({ block_id: id }) => id === block));
  await says('block.locate', { blocks: [block] }, { places: [{ block_id: block, root, type: 'text' }] });
  assert.ok((await ask('block.list', { parent_id: root })).length > 0);
  await ask('block.edit', { ...at, operations: [{ op: 'replace', start_line: 1, end_line: 2, content: 'zwei\n' }] });
  await says('block.read', at, { content: '0\tone\n1\tzwei\n2\tthree' });
  await ask('block.undo', at);
  await says('block.read', at, { content: '0\tone\n1\ttwo\n2\tthree' });
  await ask('block.redo', at);
  await ask('block.splice', { ...at, offset: 0, delete_count: 3, insert: 'eins' });
  const end = '\\ No newline at end of file\n';
  const patch = `--- a\n+++ b\n@@ -3 +3 @@\n-three\n${end}+drei\n${end}`;
  await ask('block.apply_patch', { ...at, patch });
  const document = await says('document.get', at, { text: 'eins\nzwei\ndrei' });
  assert.ok((await ask('block.history', at)).length > 3);
  assert.match((await ask('block.diff', { ...at, from_version: 1 })).diff, /\+zwei\n\+drei/u);
  await says('block.sync', { versions: [[block, 1]] }, { patches: [{ block_id: block, version: 2 }] });
  await says('cursor.set', { ...at, anchor: 2 }, { version: document.version });
  const { client: editor } = await ask('client.add', { root });
  const typing = new ClientText(editor, document);
  const { update } = typing.edit([{ at: 0, delete: 0, insert: 'typed ' }]);
  await ask('document.update', { ...at, client: editor, seed: document.version, burst: 1, update });
  await says('document.get', at, { text: 'typed eins\nzwei\ndrei' });
  await ask('block.replace', { ...at, content: { type: 'text', text: 'new' } });
  await says('document.get', at, { text: 'new' });
  const made = await ask('block.create', { parent_id: answer, role: 'assistant', kind: 'text' });
  await ask('block.append', { block_id: made.block_id, text: 'grown' });
  await ask('block.status', { block_id: made.block_id, status: 'done' });
  await says('document.get', { block_id: made.block_id }, { text: 'grown' });
  await says('block.purge', { blocks: [made.block_id] }, { purged: false, texts: [{ text: 'grown' }] });
  await says('block.purge', { blocks: [made.block_id], confirmed: true }, { purged: true, texts: [] });
  await says('document.get', { block_id: made.block_id }, { text: '█████' });

  await says('home.set', { entries: [{ key: 'pins/a', value: { order: 1 } }] }, { changed: 1 });
  await says('home.list', { prefix: 'pins/' }, { items: [{ key: 'pins/a', value: { order: 1 } }] });

  // Turns that are steered, decided about and stopped.
  const { root: other } = await ask('root.create', {});
  const begin = async (parent: string): Promise<{ turn: string; call: ResultOf<'node.get'> }> => {
    const { nodes } = await ask('node.append', { parent, messages: [{ role: 'user', content: 'run the tests' }] });
    const begun = await ask('turn.start', { node: nodes[0] ?? '', ...answerer, tools: ['run_command'] });
    for (;;) {
      const { items } = await ask('tree.subtree', { top: nodes[0] ?? '' });
      const call = items.find((node) => node.ask !== undefined);
      if (call !== undefined) return { turn: begun.turns[0] ?? '', call };
    }
  };
  const { turn, call } = await begin(other);
  await ask('turn.steer', { root: other, turn, content: 'quickly' });
  await ask('turn.queue', { root: other, turn, content: 'echo later' });
  await ask('turn.queue', { root: other, turn, content: 'never said' });
  const followed = client.follow(other);
  await followed.ready();
  const [, , withdrawn = assert.fail()] = followed.replica.root.waiting;
  followed.close();
  await says('turn.reorder', { root: other, message: withdrawn.id, before: null }, null);
  const given = { kind: 'queue', blocks: [{ text: 'never said' }] };
  await says('turn.withdraw', { root: other, message: withdrawn.id }, given);
  assert.deepEqual(call.ask?.kind, 'ask');
  await says('board.list', { roots: [other] }, { items: [{ turn, state: 'waiting', waits: [call.id] }] });
  await says('agent.command', { node: call.id }, { agent: 'demo' });
  await says('agent.continuation', { node: call.id, agent: 'demo' }, {});
  await says('turn.waiting', {}, { items: [{ node: call.id, turn, tool: 'run_command', root: other }] });
  await says('turn.decide', { node: call.id, decision: 'approved', arguments: '{"command":"npm test"}' }, { turn });
  await says('turn.wait', { root: other, turn }, { ended: 'done' });
  await says('node.get', { node: call.id }, { tool: 'result' });
  const stopped = await begin(other);
  await says('turn.abort', { root: other, turn: stopped.turn }, { returned: [] });
  await says('node.get', { node: stopped.call.id }, { tool: 'interrupted' });
  assert.match((await ask('root.suggest_title', { root: other, ...answerer })).title ?? '', /run the tests/u);
  await says('turn.compact', { node: answer, ...answerer }, { ended: 'done' });
  await ask('root.remove', { root: other });
  await says('root.list', { deleted: true }, { items: [{ id: other }] });
  await ask('root.restore', { root: other });
  // The first conversation was summed up after the last words of the other one, which is no newer for having come back.
  await says('root.list', {}, { items: [{ id: root }, { id: other }] });

  // The environment.
  await says(
    'model.list',
    { provider: 'demo', limit: 1 },
    { items: [{ name: 'demo', usable: true }], default: 'demo' },
  );
  const { items: priced } = await ask('model.list', { query: 'claude-sonnet-5', usable: false });
  const sonnet = priced.find(({ name }) => name === 'anthropic/claude-sonnet-5');
  assert.partialDeepStrictEqual(sonnet, { provider: 'anthropic', context: 1_000_000, tools: true });
  assert.ok((sonnet?.price?.output ?? 0) > (sonnet?.price?.input ?? 0));
  const used = { provider: 'demo', model: 'demo', day: new Date().toISOString().slice(0, 10) };
  await says('usage.list', { from: used.day }, { items: [used] });
  const { items: known } = await ask('provider.list', {});
  assert.partialDeepStrictEqual(
    known.find(({ name }) => name === 'openai'),
    { usable: false, key: 'none', hindrance: { code: 'no-key' } },
  );
  await says('setting.set', { key: 'presets.calm.temperature', value: 0.2 }, { changed: true });
  await says('setting.set', { key: 'activePresetName', value: 'calm' }, { changed: true });
  await says('preset.list', {}, { items: [{ name: 'calm', active: true, settings: { temperature: 0.2 } }] });
  await says('setting.unset', { key: 'presets.calm.temperature' }, { changed: true });
  const { items: settings } = await ask('setting.list', {});
  assert.partialDeepStrictEqual(
    settings.find(({ key }) => key === 'activePresetName'),
    { value: 'calm', origin: 'file' },
  );
  // Nothing listens at this address.
  await ask('setting.set', { key: 'providers.near.baseURL', value: 'http://127.0.0.1:9/v1' });
  await says('provider.set_key', { provider: 'near', key: 'k-1' }, { saved: true, check: { state: 'unknown' } });
  await says('provider.check', { provider: 'near' }, { state: 'unknown' });
  assert.ok((await ask('data.sizes', {})).total > 0);
  await says('data.acknowledge_losses', {}, { acknowledged: 0 });
  const { job } = await ask('data.measure', {}, 'measure');
  assert.deepEqual(await ask('data.measure', {}, 'measure'), { job }, 'it is begun once');
  while ((await ask('job.get', { job })).state === 'running');
  await says('job.get', { job }, { state: 'done', progress: 1, result: { conversations: 2 } });
  const { items: jobs } = await ask('job.list', {});
  assert.deepEqual(
    jobs.map(({ kind, state }) => [kind, state]),
    [
      ['data.measure', 'done'],
      ['turn.compact', 'done'],
      ['root.suggest_title', 'done'],
    ],
  );
  await says('job.cancel', { job }, { cancelled: false });
  const scan = await ask('secret.scan', {});
  while ((await ask('job.get', scan)).state === 'running');
  await says('job.get', scan, { state: 'done', result: { found: [] } });

  // Histories of other programs.
  await says('source.list', {}, { items: [], following: false, remarks: [] });
  const unknown = join(temporaryDirectory(t), 'unknown.json');
  writeFileSync(unknown, '{}');
  const begun = await ask('import.start', { paths: [unknown] });
  while ((await ask('job.get', begun)).state === 'running');
  await says('job.get', begun, { state: 'done', result: { files: 0, files_unknown: 1, roots_added: 0 } });
  const markdown = await says('export.create', { place: answer, format: 'markdown' }, { media_type: 'text/markdown' });
  assert.match(new TextDecoder().decode(await client.getBlob(markdown.blob)), /one\ntwo\nthree/u);
  const archiving = await ask('export.archive', { roots: [root], format: 'markdown' });
  while ((await ask('job.get', archiving)).state === 'running');
  await says('job.get', archiving, { state: 'done' });
  const session = await says(
    'export.create',
    { place: answer, format: 'claude-code' },
    { session: { command: ['claude'] } },
  );
  assert.match(
    new TextDecoder().decode(await client.getBlob(session.blob)),
    /"content":"echo one\\ntwo\\nthree".*"text":"new"/su,
  );
  assert.equal(await client.getBlob(`sha256:${'0'.repeat(64)}`), undefined);
  await says('import.follow', { on: true }, { following: true, remarks: [] });
  await says('import.follow', { on: false }, { following: false });

  // A text beside the messages.
  const plan = await ask('draft.create', { root, title: 'Plan', text: 'First this' });
  await says('draft.list', { root }, { drafts: [{ node: plan.node, title: 'Plan' }] });
  await says('draft.remove', { node: plan.node }, { node: plan.node });
  await says('draft.list', { root }, { drafts: [] });
  const blob = await client.putBlob(new TextEncoder().encode('printed'));
  await says('blob.read', { blob, start: 2, end: 5 }, { text: 'int', next: 5, bytes: 7 });

  // Tokens.
  const identity = { agent: 'bot', type: 'tool', role: 'reader' };
  const permit = await says('token.create', identity, {});
  const { id } = z.object({ id: z.string() }).parse(permit);
  await says('token.list', {}, { items: [{ agent: 'person' }, { id, ...identity }] });
  await says('token.revoke', { id }, { revoked: true });
  await says('token.revoke', { id }, { revoked: false });

  // Links.
  await says('share.preview', { place: answer }, { messages: 2, secrets: [] });
  const link = await says('share.create', { place: answer }, {});
  const { id: shared } = z.object({ id: z.string() }).parse(link);
  await says('share.list', {}, { items: [{ id: shared, root, leaf: answer, ended: false }] });
  await says('share.revoke', { id: shared }, { revoked: true });
  await says('share.save', { place: answer }, { media_type: 'text/html' });

  // A browser is told of turns.
  await says('push.key', {}, {});
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const browser = { endpoint: 'https://push.example/1', p256dh, auth: 'BTBZMqHH6r4Tts7J_aSIgg' };
  const { id: listening } = z.object({ id: z.string() }).parse(await ask('push.subscribe', browser));
  await says('push.list', {}, { possible: true, items: [{ id: listening, service: 'push.example' }] });
  await says('push.test', { id: listening }, { delivered: true, status: 201 });
  await says('push.remove', { id: listening }, { removed: true });

  // Prompts.
  const greeting = { text: 'Greet $1.', argument_hint: '[name]' };
  await says('prompt.set', { name: 'greet', ...greeting }, { changed: true });
  await says('prompt.list', {}, { items: [{ name: 'greet', source: 'own', description: 'Greet $1.' }] });
  await says('prompt.get', { name: 'greet' }, greeting);
  await says('prompt.fill', { name: 'greet', arguments: 'Jo' }, { text: 'Greet Jo.', missing: [], source: 'own' });
  await says('prompt.remove', { name: 'greet' }, { changed: true, before: { name: 'greet', ...greeting } });

  // A login that stands in for a key.
  const service = await startPlanEmulator();
  t.after(() => service.close());
  const owner = { agent: 'person', type: 'person', role: 'owner', door: 'command' } as const;
  for (const [field, value] of Object.entries({ issuer: service.issuer, baseURL: service.api }))
    await engine.call('setting.set', { ...owner, id: field }, { key: `providers.chatgpt.${field}`, value });
  await says('login.list', {}, { items: [{ provider: 'chatgpt', state: 'off' }] });
  await says('setting.set', { key: 'providers.chatgpt.plan', value: true }, { changed: true });
  const { url: page } = await ask('login.start', { provider: 'chatgpt' });
  await says('login.cancel', { provider: 'chatgpt' }, { cancelled: true });
  const again = await ask('login.start', { provider: 'chatgpt' }, 'again');
  assert.notEqual(again.url, page);
  await service.agree(again.url);
  await says('login.finish', { provider: 'chatgpt' }, { state: 'logged-in', plan: true });
  await says('login.end', { provider: 'chatgpt' }, { revoked: true });

  const asked = engine.operations.filter(({ doors }) => doors.includes('http')).map(({ name }) => `/api/v1/${name}`);
  assert.deepEqual(
    asked.filter((path) => !conformance.reached.has(`POST ${path}`)),
    [],
    'an operation that is new has to be asked for here',
  );
});

test('[SV48] so do the routes beside operations', async (t) => {
  const { engine, routes, url, token } = await serve(t, { pace: instantClock() });
  const conformance = new Conformance(engine.operations);
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, value?: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { headers, ...(value === undefined ? {} : { body: JSON.stringify(value) }) };
    const answer = await fetch(`${url}${path}`, { method, ...init });
    const body: unknown = await answer.json();
    conformance.check(method, path.replace(/\?.*/u, ''), answer.status, body);
    return body;
  };
  const client = new LoomClient({ url, token, ...clientPorts(), fetch: conformance.fetch });
  const blob = await client.putBlob(new TextEncoder().encode('bytes'));
  const bytes = await fetch(`${url}/api/v1/blobs/${blob}`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(await bytes.text(), 'bytes');
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
  };
  const uploaded = await fetch(`${url}/api/v1/uploads`, { ...init, body: '{}' });
  const received: unknown = await uploaded.json();
  conformance.check('POST', '/api/v1/uploads', uploaded.status, received);
  assert.partialDeepStrictEqual(received, { ok: true, value: { bytes: 2 } });
  const { root } = await engine.call('root.create', ownerOf('share'), {}).then(valueOf);
  const { nodes } = await engine
    .call('node.append', ownerOf('said'), { parent: root, messages: [{ role: 'user', content: 'hello' }] })
    .then(valueOf);
  const made = await engine.call('share.create', ownerOf('made'), { place: nodes[0] ?? '' }).then(valueOf);
  const [, secret] = z.object({ path: z.string() }).parse(made).path.split('#');
  const opened = await fetch(`${url}/api/v1/share`, { headers: { authorization: `Bearer ${secret}` } });
  const shown: unknown = await opened.json();
  conformance.check('GET', '/api/v1/share', opened.status, shown);
  assert.partialDeepStrictEqual(shown, { value: { nodes: [{ blocks: [{ text: 'hello' }] }] } });
  await engine.call('root.remove', ownerOf('removed'), { root }).then(valueOf);
  const code = await client.issueCode();
  assert.partialDeepStrictEqual(await send('POST', '/auth/sign-in', { code }), { ok: true });
  assert.partialDeepStrictEqual(await send('GET', '/auth/me'), { value: { agent: 'person', role: 'owner' } });
  assert.partialDeepStrictEqual(await send('POST', '/auth/ticket', {}), { ok: true });
  assert.partialDeepStrictEqual(await send('GET', '/api/v1/openapi.json'), { openapi: '3.1.0' });
  const begun = z.object({ id: z.string() }).parse(await send('POST', '/api/roots', { systemPrompt: 'x' }));
  const at = (id: string): string => `/api/nodes/${encodeURIComponent(id)}`;
  const said = z.object({ id: z.string() }).parse(await send('POST', `${at(begun.id)}/append`, { content: 'echo hi' }));
  const model = { providerName: 'demo', modelName: 'demo' };
  const answered = await send('POST', `${at(said.id)}/generate?format=legacy`, model);
  const [first] = z.array(z.object({ id: z.string() })).parse(answered);
  const node = at(first?.id ?? '');
  const hi = { message: { content: [{ type: 'text', text: 'hi' }] } };
  assert.partialDeepStrictEqual(await send('GET', node), hi);
  assert.partialDeepStrictEqual(await send('GET', `${node}/path`), { messages: [{ nodeId: said.id }, hi.message] });
  assert.partialDeepStrictEqual(await send('GET', `${at(said.id)}/children`), [hi]);
  assert.partialDeepStrictEqual(await send('GET', `${node}/siblings`), [hi]);
  assert.partialDeepStrictEqual(await send('PUT', `${node}/content`, { content: 'ho' }), { id: first?.id });
  const kept = { title: 'here', nodeId: first?.id, rootId: begun.id };
  assert.partialDeepStrictEqual(await send('POST', '/api/bookmarks', kept), kept);
  assert.partialDeepStrictEqual(await send('GET', '/api/bookmarks'), [kept]);
  assert.deepEqual(await send('DELETE', '/api/bookmarks/here'), { success: true });
  assert.deepEqual(await send('PUT', '/api/state', { currentNodeId: said.id }), { currentNodeId: said.id });
  assert.deepEqual(await send('GET', '/api/state'), { currentNodeId: said.id });
  assert.partialDeepStrictEqual(await send('GET', '/api/config/defaults'), { n: 1 });
  assert.deepEqual(await send('GET', '/api/config/presets'), { presets: {}, activePresetName: null });
  const none = await send('PUT', '/api/config/active-preset', { presetName: null });
  assert.deepEqual(none, { activePresetName: null });
  assert.ok(
    z
      .array(z.string())
      .parse(await send('GET', '/api/models'))
      .includes('demo/demo'),
  );
  assert.partialDeepStrictEqual(await send('GET', '/api/tools'), [{ name: 'ask_person' }]);
  const shape = [{ id: begun.id, parent_id: null }, { id: said.id, child_ids: [first?.id] }, { role: 'assistant' }];
  assert.partialDeepStrictEqual(await send('GET', '/api/graph/topology'), shape);
  assert.deepEqual(await send('DELETE', `${node}/siblings`), { success: true, removed: [], kept: [] });
  assert.deepEqual(await send('DELETE', `${at(said.id)}/children`), { success: true, removed: [first?.id], kept: [] });
  assert.deepEqual(await send('DELETE', at(said.id)), { success: true, removed: [said.id], kept: [] });
  assert.partialDeepStrictEqual(await send('GET', '/api/roots'), [{ id: begun.id }]);
  // Streams, pages and other protocols have separate tests.
  const isPlain = (path: string): boolean =>
    /^\/(?:api|auth)\//u.test(path) && !/\/(?:events|feed|generation)$|:operation|blobs\/|metrics|health/u.test(path);
  const operations = new Set(engine.operations.map(({ name }) => `/api/v1/${name}`));
  const left = routes.filter(({ path }) => isPlain(path) && !operations.has(path));
  assert.deepEqual(
    left
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/gu, '{$1}')}`)
      .filter((route) => !conformance.reached.has(route)),
    [],
    'a route that is new has to be asked for here',
  );
});
