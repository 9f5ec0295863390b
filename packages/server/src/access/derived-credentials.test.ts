import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Provider } from '@loom/kernel';
import { rest, VirtualClock } from '@loom/kernel/testing';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { Requests } from '../testing/requests.ts';
import { owner, serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';
import type { Identity, Tokens } from './tokens.ts';
import { openTokens } from './tokens.ts';

const hour = 60 * 60_000;

interface Scene extends Served {
  clock: VirtualClock;
  /** Requests without a token. */
  stranger: Requests;
  root: string;
}

/** Returns true while a credential made with a token still opens something, or goes on. */
type Probe = () => Promise<boolean>;

const code = z.object({ value: z.object({ code: z.string() }) });
const signedIn = z.object({ value: z.object({ token: z.string() }) });

/** Goes on until it is stopped. */
const endless: Provider = {
  id: 'endless',
  async *stream(_request, { signal }) {
    yield { type: 'call-start' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
};

async function openScene(t: TestContext): Promise<Scene> {
  const clock = new VirtualClock();
  const served = await serveLoom(t, { clock, engine: { providers: [endless] } });
  const { root } = await served.requests.call('root.create', {});
  return { ...served, clock, root, stranger: new Requests(served.url, '', served.engine.operations) };
}

async function createWith(parent: Requests, { url, engine }: Scene, params: object = {}): Promise<Requests> {
  const made = await parent.call('token.create', { agent: 'bot', type: 'tool', role: 'owner', ...params });
  const { token } = z.object({ token: z.string() }).parse(made);
  return new Requests(url, token, engine.operations);
}

async function codeOf(parent: Requests): Promise<string> {
  return code.parse((await parent.post('/auth/code', {})).body).value.code;
}

async function signIn(scene: Scene, given: string): Promise<Requests | undefined> {
  const { status, body } = await scene.stranger.post('/auth/sign-in', { code: given });
  if (status !== 200) return undefined;
  return new Requests(scene.url, signedIn.parse(body).value.token, scene.engine.operations);
}

const works =
  (requests: Requests): Probe =>
  async () =>
    (await requests.fetch('/auth/me')).status === 200;

/** The credentials that can be made with a token. Those that open something once are made as often as they are tried. */
const derivations: Record<string, (parent: Requests, scene: Scene) => Promise<Probe>> = {
  'a token': async (parent, scene) => works(await createWith(parent, scene)),
  'a token that is not kept': async (parent, scene) => works(await createWith(parent, scene, { kept: false })),
  'a token for longer': async (parent, scene) => works(await createWith(parent, scene, { days: 400 })),
  'a token of a token': async (parent, scene) => works(await createWith(await createWith(parent, scene), scene)),
  'a sign-in code': async (parent, scene) => {
    const codes = await several(() => codeOf(parent));
    return async () => (await signIn(scene, codes.pop() ?? assert.fail('one more try than codes'))) !== undefined;
  },
  'a signed-in browser': async (parent, scene) =>
    works((await signIn(scene, await codeOf(parent))) ?? assert.fail('the code is right')),
  'a code of a signed-in browser': async (parent, scene) => {
    const browser = (await signIn(scene, await codeOf(parent))) ?? assert.fail('the code is right');
    const codes = await several(() => codeOf(browser));
    return async () => (await signIn(scene, codes.pop() ?? assert.fail('one more try than codes'))) !== undefined;
  },
  'a ticket': async (parent) => {
    const addresses = await several(() => parent.feedAddress());
    return () => opens(addresses.pop() ?? assert.fail('one more try than tickets'));
  },
  'a connection': async (parent) => {
    const socket = await parent.connect();
    return async () => socket.readyState === socket.OPEN;
  },
  'a stream of events': async (parent, { root }) => streamOf(await parent.fetch(`/api/v1/events?root=${root}`)),
  'a stream of the list': async (parent) => streamOf(await parent.fetch('/api/v1/list/events')),
  'a session of MCP': async (parent) => {
    const session = await beginSession(parent);
    return async () => (await askSession(parent, session)) === 200;
  },
  'a turn': async (parent, { root, engine }) => {
    const messages = [{ role: 'user' as const, content: 'go on' }];
    const { nodes } = await parent.call('node.append', { parent: root, messages });
    const started = await parent.call('turn.start', { node: nodes[0] ?? '', provider: 'endless', model: 'm' });
    return async () => {
      const state = await engine.forest.log(root).state();
      return state.turns.get(started.turns[0] ?? '')?.ended === undefined;
    };
  },
};

/** One for each time that it is tried. */
async function several(make: () => Promise<string>): Promise<string[]> {
  return [await make(), await make(), await make()];
}

async function opens(address: string): Promise<boolean> {
  const socket = new WebSocket(address);
  try {
    await once(socket, 'open');
    return true;
  } catch {
    return false;
  } finally {
    socket.terminate();
  }
}

function streamOf(response: Response): Probe {
  let isOpen = response.status === 200;
  const over = (): void => void (isOpen = false);
  void response.body?.pipeTo(new WritableStream()).then(over, over);
  return async () => isOpen;
}

const mcpHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function beginSession(requests: Requests): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const begun = await requests.fetch('/mcp', { method: 'POST', headers: mcpHeaders, body });
  await begun.text();
  return begun.headers.get('mcp-session-id') ?? assert.fail();
}

async function askSession(requests: Requests, session: string): Promise<number> {
  const headers = { ...mcpHeaders, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} });
  const answered = await requests.fetch('/mcp', { method: 'POST', headers, body });
  await answered.text();
  return answered.status;
}

const endings: Record<string, (scene: Scene, id: string) => Promise<void>> = {
  'is revoked': async ({ requests }, id) => void (await requests.call('token.revoke', { id })),
  expires: ({ clock }) => clock.advanceAndRest(hour),
};

for (const [ending, end] of Object.entries(endings)) {
  test(`[SV83] whatever was made with a token ends when that token ${ending}, and nothing else does`, async (t) => {
    const scene = await openScene(t);
    const parents: { id: string; requests: Requests; probes: [string, Probe][] }[] = [];
    for (const lifetime of [hour, 3 * hour]) {
      const { id, token } = await scene.tokens.create({ identity: owner, lifetime });
      const requests = new Requests(scene.url, token, scene.engine.operations);
      const probes: [string, Probe][] = [];
      for (const [name, make] of Object.entries(derivations)) probes.push([name, await make(requests, scene)]);
      parents.push({ id, requests, probes });
    }
    const [ended, other] = parents;
    for (const { probes } of parents)
      for (const [name, probe] of probes) assert.equal(await probe(), true, `${name} works before`);
    await end(scene, ended?.id ?? '');
    assert.deepEqual(await outliving(ended?.probes ?? []), []);
    for (const [name, probe] of other?.probes ?? []) {
      // Codes and tickets have a shorter life.
      if (ending === 'expires' && /code|ticket/u.test(name)) continue;
      assert.equal(await probe(), true, `${name} of the other token goes on`);
    }
    await scene.requests.call('token.revoke', { id: other?.id ?? '' });
    assert.deepEqual(await outliving(other?.probes ?? []), []);
    assert.deepEqual(scene.kept(), [], 'nothing of them is kept');
    assert.deepEqual(scene.failures, []);
  });
}

test('[SV83] the derivations find a planted fault: a token forgets which one it was made with', async (t) => {
  const scene = await openScene(t);
  const { tokens } = scene;
  const create = tokens.create.bind(tokens);
  const forgetful: Tokens['create'] = ({ parent: _parent, ...rest }) => create(rest);
  Object.assign(tokens, { create: forgetful });
  const { id, token } = await create({ identity: owner });
  const requests = new Requests(scene.url, token, scene.engine.operations);
  const probes: [string, Probe][] = [];
  for (const name of ['a token', 'a token of a token', 'a signed-in browser'])
    probes.push([name, await (derivations[name] ?? assert.fail())(requests, scene)]);
  await scene.requests.call('token.revoke', { id });
  assert.deepEqual(await outliving(probes), ['a token', 'a token of a token', 'a signed-in browser']);
});

/** Returns the names of what still works: a connection or a turn that was asked to end needs a moment for it; one that was not never ends. */
async function outliving(probes: readonly [string, Probe][]): Promise<string[]> {
  const left: string[] = [];
  for (const [name, probe] of probes) if (!(await isOver(probe))) left.push(name);
  return left;
}

async function isOver(probe: Probe): Promise<boolean> {
  for (let looks = 0; looks < 200; looks += 1) {
    if (!(await probe())) return true;
    await rest();
  }
  return false;
}

test('[SV84] nothing that is made with a token may do more than that token', async (t) => {
  const scene = await openScene(t);
  const { root } = scene;
  const refused: [Identity, string, object][] = [
    [{ ...owner, roots: [root] }, '/auth/code', {}],
    [{ ...owner, roots: [root] }, '/api/v1/token.create', { agent: 'x', type: 'person', role: 'owner' }],
    [{ ...owner, roots: [root] }, '/api/v1/token.create', { agent: 'x', type: 'tool', role: 'reader', roots: [root] }],
    [{ ...owner, roots: [root] }, '/api/v1/token.list', {}],
    [{ ...owner, roots: [root] }, '/api/v1/token.revoke', { id: 'x' }],
    [{ ...owner, role: 'writer' }, '/auth/code', {}],
    [{ ...owner, role: 'writer' }, '/api/v1/token.create', { agent: 'x', type: 'tool', role: 'reader' }],
    [{ ...owner, type: 'tool' }, '/api/v1/token.create', { agent: 'x', type: 'person', role: 'reader' }],
  ];
  for (const [identity, path, params] of refused) {
    const { status } = await (await scene.as(identity)).post(path, params);
    assert.equal(status, 403, `${JSON.stringify(identity)} ${path}`);
  }
  assert.deepEqual(scene.kept(), []);
  const tool = await scene.as({ ...owner, agent: 'robot', type: 'tool' });
  const browser = (await signIn(scene, await codeOf(tool))) ?? assert.fail();
  const { value } = z.object({ value: z.unknown() }).parse(await (await browser.fetch('/auth/me')).json());
  assert.deepEqual(value, { agent: 'robot', type: 'tool', role: 'owner' }, 'a code gives what its token has');
});

test('[SV83] what was made with a token ends with it after a restart too, and what was made for the folder goes on', async () => {
  let kept: unknown;
  const keeper = { read: async () => kept, write: async (records: unknown) => void (kept = structuredClone(records)) };
  const open = () => openTokens({ keeper, now: () => 0 });
  const before = await open();
  const folder = await before.create({ identity: owner, isKept: false, isFolders: true });
  const passing = await before.create({ identity: owner, isKept: false });
  const parent = await before.create({ identity: owner, parent: folder.id });
  const child = await before.create({ identity: owner, parent: parent.id });
  const stray = await before.create({ identity: owner, parent: passing.id });
  assert.ok(before.find(stray.token));
  const after = await open();
  assert.ok(after.find(parent.token), 'it was made for the folder, not for the process');
  assert.ok(after.find(child.token));
  assert.equal(after.find(stray.token), undefined, 'its parent ended with the process');
  assert.equal(await after.revoke(parent.id), true);
  assert.equal(after.find(child.token), undefined);
  assert.deepEqual([after.list, (await open()).list], [[], []]);
});
