import { stableDeepEqual } from '@loom/blocks';
import type { Clock, ProcessPort, Tool } from '@loom/kernel';
import type { Permissions } from '../policy/permissions.ts';
import type { ListedTool } from './connect-server.ts';
import { ServerLink } from './server-link.ts';
import type { LinkPorts } from './server-link.ts';
import { serverPrefix, serverToolName, wholeServer } from './server-names.ts';
import type { SeenTool, SeenTools, ServerSettings, ToolSettings, ToolSettingsPort } from './server-settings.ts';
import { serverTool } from './server-tool.ts';

export interface ToolServersPorts {
  clock: Clock;
  settings: ToolSettingsPort;
  processes: Pick<ProcessPort, 'spawn'>;
  environment: Readonly<Record<string, string | undefined>>;
  permissions: () => Promise<Permissions>;
}

/** A tool of a server as people see it, also while no model gets it. */
export interface OwnTool extends ListedTool {
  /** The name that models call it by. */
  readonly fullName: string;
  readonly withheld: Tool['withheld'];
  /** The claims that an owner has accepted, where the present ones are others. */
  readonly before?: SeenTool;
}

/** The time that a turn waits for servers that are starting, in milliseconds. Those that take longer are left out of it. */
const patience = 3_000;

/** The MCP servers of the configuration, and what is switched off of all tools. */
export class ToolServers {
  readonly #ports: ToolServersPorts;
  readonly #links = new Map<string, ServerLink>();
  #off: ReadonlySet<string> = new Set();
  #seen: SeenTools = {};
  #made: { key: readonly unknown[]; tools: readonly Tool[] } = { key: [], tools: [] };
  /** Settings and accepted claims are changed one after the other. */
  #work: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(ports: ToolServersPorts) {
    this.#ports = ports;
  }

  /** Returns all tools: Loom's own, and those of servers that are ready. They are made anew when something has changed. */
  tools(own: readonly Tool[]): readonly Tool[] {
    const key = [own, this.#off, this.#seen, ...this.links.map(({ tools }) => tools)];
    const isSame = key.length === this.#made.key.length && key.every((part, index) => part === this.#made.key[index]);
    if (!isSame) this.#made = { key, tools: this.#make(own) };
    return this.#made.tools;
  }

  #make(own: readonly Tool[]): Tool[] {
    const listed = [...own];
    const { permissions } = this.#ports;
    for (const link of this.#links.values()) {
      for (const tool of this.toolsOf(link))
        listed.push(withhold(serverTool(link, tool, tool.fullName, permissions), tool.withheld));
    }
    return listed;
  }

  /** Returns the tools of a server. One whose name is too long, or that of an earlier one, is left out. */
  toolsOf({ settings: { name: server }, tools }: ServerLink): OwnTool[] {
    const found = new Map<string, OwnTool>();
    for (const { name, claims } of tools) {
      const fullName = serverToolName(server, name);
      if (fullName === undefined || found.has(fullName)) continue;
      const before = this.#changedSince(server, name, claims);
      const withheld = before !== undefined ? 'changed' : this.#off.has(fullName) ? 'off' : undefined;
      found.set(fullName, { name, claims, fullName, withheld, ...(before === undefined ? {} : { before }) });
    }
    return [...found.values()];
  }

  get links(): readonly ServerLink[] {
    return [...this.#links.values()];
  }

  link(name: string): ServerLink | undefined {
    return this.#links.get(name);
  }

  isOff(name: string): boolean {
    return this.#off.has(name);
  }

  /** Follows the settings, and waits a moment for servers that are starting. */
  async ready(): Promise<void> {
    // Settings that cannot be read hinder no turn; `mcp.list` says why.
    await this.follow().catch(() => {});
    const starting = this.links.filter(({ state }) => state.type === 'starting');
    if (starting.length === 0) return;
    const { promise: over, resolve: leave } = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.after(patience, leave);
    await Promise.race([Promise.all(starting.map(({ settled }) => settled)), over]);
    cancel();
  }

  /** Reads the settings, and starts and ends servers as they say. While they cannot be read everything stays as it is. */
  follow(): Promise<void> {
    return this.#enqueue(async () => {
      const settings = await this.#ports.settings.read();
      await this.#apply(settings);
    });
  }

  /** Switches tools on or off for all conversations. */
  switchTools(names: readonly string[], isOn: boolean): Promise<void> {
    return this.#enqueue(async () => {
      await this.#ports.settings.switchTools(names, isOn);
      await this.#apply(await this.#ports.settings.read());
    });
  }

  /** Accepts the claims about a tool, if they are those that were shown. */
  accept(link: ServerLink, tool: OwnTool): Promise<void> {
    return this.#enqueue(async () => {
      const server = link.settings.name;
      await this.#keep(server, { ...this.#seen[server], [tool.name]: this.#seenNow(tool) });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
    await Promise.all(this.links.map((link) => link.stop()));
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  async #apply({ servers, off }: ToolSettings): Promise<void> {
    if (this.#isClosed) return;
    this.#off = new Set(off);
    const known = firstOfEachPrefix(servers);
    for (const [name, link] of this.#links) {
      if (stableDeepEqual(known.get(name), link.settings)) continue;
      this.#links.delete(name);
      await link.stop();
    }
    for (const [name, settings] of known) {
      const link = this.#links.get(name) ?? new ServerLink(settings, this.#linkPorts());
      this.#links.set(name, link);
      if (this.#off.has(wholeServer(name))) await link.stop();
      else link.start();
    }
  }

  #linkPorts(): LinkPorts {
    const { clock, processes, environment } = this.#ports;
    const load = () => import('./connect-server.ts');
    let isLogin = (_error: unknown): boolean => false;
    return {
      clock,
      connect: async (settings, events) => {
        const { connectServer, LoginNeeded } = await load();
        isLogin = (error) => error instanceof LoginNeeded;
        return connectServer(settings, { processes, environment }, events);
      },
      wantsLogin: (error) => isLogin(error),
      review: (server, tools) => this.#review(server, tools),
    };
  }

  /** Keeps the claims about tools that were never seen. Those of the others stay, and so a change is noticed after a restart too. */
  #review(server: string, tools: readonly ListedTool[]): Promise<void> {
    return this.#enqueue(async () => {
      this.#seen = await this.#ports.settings.readSeen();
      const known = this.#seen[server] ?? {};
      const unseen = tools.filter(({ name }) => !Object.hasOwn(known, name));
      if (unseen.length === 0) return;
      const added = Object.fromEntries(unseen.map((tool) => [tool.name, this.#seenNow(tool)]));
      await this.#keep(server, { ...known, ...added });
    });
  }

  async #keep(server: string, tools: Readonly<Record<string, SeenTool>>): Promise<void> {
    await this.#ports.settings.writeSeen(server, tools);
    this.#seen = { ...this.#seen, [server]: tools };
  }

  #seenNow({ claims }: ListedTool): SeenTool {
    return { ...claims, at: new Date(this.#ports.clock.now()).toISOString() };
  }

  #changedSince(server: string, name: string, claims: ListedTool['claims']): SeenTool | undefined {
    const tools = this.#seen[server] ?? {};
    const seen = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (seen === undefined) return undefined;
    const { at: _at, ...before } = seen;
    return stableDeepEqual(before, claims) ? undefined : seen;
  }
}

function withhold(tool: Tool, withheld: Tool['withheld']): Tool {
  return withheld === undefined ? tool : { ...tool, withheld };
}

/** Of servers whose tools would have the same names only the first counts. */
function firstOfEachPrefix(servers: readonly ServerSettings[]): Map<string, ServerSettings> {
  const taken = new Set<string>();
  return new Map(
    servers.flatMap((server): [string, ServerSettings][] => {
      const prefix = serverPrefix(server.name);
      if (taken.has(prefix)) return [];
      taken.add(prefix);
      return [[server.name, server]];
    }),
  );
}
