import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { LoomClient } from '@loom/client';
import type { ClientOptions, ClientPorts, FollowedConversation } from '@loom/client';
import { LoomEngine } from '@loom/kernel';
import type { Clock, NodeState, Operation, Outcome, ProcessPort, Provider, RuleKeeper } from '@loom/kernel';
import { blobsOf } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { temporaryDirectory } from '@loom/kernel/testing';
import { createDemoProvider, demoTools } from '@loom/providers/demo';
import { LoomServer } from '@loom/server';
import { openTokens } from '@loom/server/access';
import { accessOperations } from '../access-operations.ts';
import type { Tokens } from '@loom/server/access';
import { createMemoryStore } from '@loom/stores/memory';
import type { Toolbox } from '@loom/tools';
import { hostOperations } from '../../host/host-operations.ts';
import { uploadFolder } from '../../host/upload-folder.ts';
import { createModels } from '../../models/models.ts';
import { createProcessPort } from '../../processes/process-port.ts';
import { createSortableIds } from '../../runtime/sortable-ids.ts';
import { credentialsOf } from '../token-file.ts';

const clock: Clock = {
  now: Date.now,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** A server in this process, which can be ended and begun again over the same store. */
export interface Served {
  engine: LoomEngine;
  /** The routes of the server. */
  routes: LoomServer['routes'];
  url: string;
  token: string;
  stop: () => Promise<void>;
}

export interface ServedOptions {
  store?: Store;
  tokens?: Tokens;
  port?: number;
  names?: readonly string[];
  /** Paces the demo. */
  pace?: Clock;
  /** The operations beside Loom's own. */
  operations?: readonly Operation[];
  /** The providers beside the demo. */
  providers?: readonly Provider[];
  /** Keeps permissions. */
  rules?: RuleKeeper;
  /** The tools and the operations about them, instead of the demo's; the folder is Loom's data folder. */
  tools?: (dataDir: string, processes: ProcessPort) => Toolbox;
}

export async function openTestTokens(): Promise<Tokens> {
  const keeper = { read: async () => undefined, write: async () => {} };
  return openTokens({ keeper, pushKeeper: keeper, now: Date.now });
}

export async function serve(t: TestContext, options: ServedOptions = {}): Promise<Served> {
  const { store = createMemoryStore({ now: Date.now }), pace = clock } = options;
  const tokens = options.tokens ?? (await openTestTokens());
  const ids = createSortableIds();
  // No setting of the machine counts here.
  const dataDir = temporaryDirectory(t);
  const models = createModels({ dataDir, env: {}, clock });
  const processes = createProcessPort({ clock });
  const toolbox = options.tools?.(dataDir, processes);
  const { providers = [], operations = [] } = options;
  const engine = new LoomEngine({
    store,
    clock,
    ids,
    hash: { hex: (text) => createHash('sha256').update(text).digest('hex') },
    holder: `test-${ids.next()}`,
    exclusive: true,
    isOwnerless: () => Promise.resolve(true),
    providers: [createDemoProvider({ clock: pace }), ...(toolbox?.providers ?? []), ...providers],
    tools: () => toolbox?.withServers(toolbox.tools) ?? demoTools(pace),
    ...(toolbox === undefined ? {} : { toolsReady: toolbox.toolsReady, isToolOff: toolbox.isToolOff }),
    ...(toolbox === undefined ? {} : { agentPrompts: toolbox.prompts, folders: toolbox.folders }),
    processes,
    ...(options.rules === undefined ? {} : { rules: options.rules }),
    credentials: credentialsOf(async () => tokens),
    operations: [
      ...accessOperations(async () => tokens),
      ...hostOperations(models),
      ...(toolbox?.operations ?? []),
      ...operations,
    ],
  });
  const parts = { engine, blobs: blobsOf(store), uploads: uploadFolder(dataDir) };
  const server = new LoomServer({ ...parts, tokens, secrets: store, clock, newId: () => ids.next() });
  const { port = 0, names = [] } = options;
  const url = await server.listen({ port, names });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= end());
  const end = async (): Promise<void> => {
    await engine.rest();
    await server.close();
    await engine.close();
    await toolbox?.close();
  };
  t.after(stop);
  const { token } = await tokens.create({ identity: { agent: 'person', type: 'person', role: 'owner' } });
  return { engine, routes: server.routes, url, token, stop };
}

function startTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}

/** A client of a server; `transport` is how it follows conversations. */
export function clientOf(url: string, token: string, transport: 'socket' | 'events' = 'socket'): LoomClient {
  const options: ClientOptions = { url, token, ...clientPorts() };
  return new LoomClient(transport === 'socket' ? { ...options, openSocket: (at) => new WebSocket(at) } : options);
}

/** Returns the services of a client under test: the network, and waits that are over soon. */
export function clientPorts(): ClientPorts {
  return {
    fetch,
    clock: { now: Date.now, after: (milliseconds, callback) => startTimer(milliseconds / 50, callback) },
    ids: createSortableIds(),
    random: Math.random,
  };
}

/** The value of an outcome that must not be a refusal. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  return assert.fail(JSON.stringify(outcome.refusal));
}

/** The nodes of a conversation as a client knows them. */
export function conversationOf({ replica }: FollowedConversation): unknown[] {
  return nodesInOrder(replica.nodes.values());
}

/** Sorts nodes by their ids: a snapshot brings the end of the branch that is read first, the log has them as they were added. */
export function nodesInOrder(nodes: Iterable<NodeState>): unknown[] {
  return [...nodes].sort((one, other) => (one.id < other.id ? -1 : 1)).map(asFollowed);
}

/** Returns a node as the feed has it: the hash of its model's context is the kernel's own affair. */
function asFollowed({ blocks, ...node }: NodeState): unknown {
  return { ...node, blocks: blocks.map(({ prefix: _prefix, ...block }) => block) };
}
