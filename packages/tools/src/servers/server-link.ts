import type { PlainObject } from '@loom/blocks';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Clock } from '@loom/kernel';
import type { ListedTool, ServerConnection, ServerEvents } from './connect-server.ts';
import { ServerLog } from './server-log.ts';
import type { ServerSettings } from './server-settings.ts';

/** The state of a server. Times are milliseconds since 1970. */
export type ServerState =
  | { readonly type: 'off' }
  | { readonly type: 'starting' }
  | { readonly type: 'ready'; readonly since: number }
  | { readonly type: 'needs-login'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string; readonly failures: number; readonly retryAt: number };

export interface LinkPorts {
  clock: Clock;
  connect: (settings: ServerSettings, events: ServerEvents) => Promise<ServerConnection>;
  /** Returns true if an error says that the server wants a login. */
  wantsLogin: (error: unknown) => boolean;
  /** Looks at tools before models get them. */
  review: (server: string, tools: readonly ListedTool[]) => Promise<void>;
}

/** The pauses before a server is started again, in milliseconds; the last one is repeated. */
const pauses = [1_000, 5_000, 30_000, 120_000, 300_000] as const;
/** A server that has run for so long begins with the first pause again, in milliseconds. */
const isSteady = 60_000;

const noTools: readonly ListedTool[] = [];

/** A server: started, listened to, and started again when it fails. */
export class ServerLink {
  readonly settings: ServerSettings;
  readonly log: ServerLog;
  readonly #ports: LinkPorts;
  #state: ServerState = { type: 'off' };
  #tools: readonly ListedTool[] = [];
  #connection: ServerConnection | undefined;
  /** Counts the starts, so that news of an earlier one is told apart. */
  #attempt = 0;
  #failures = 0;
  #calls = 0;
  #cancelRetry: (() => void) | undefined;
  #wanted = new AbortController();
  #settled: Promise<void> = Promise.resolve();

  constructor(settings: ServerSettings, ports: LinkPorts) {
    this.settings = settings;
    this.#ports = ports;
    const secrets = [...Object.values(settings.environment), ...Object.values(settings.headers)];
    this.log = new ServerLog(() => ports.clock.now(), secrets);
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The tools of a server that is ready. */
  get tools(): readonly ListedTool[] {
    return this.#state.type === 'ready' ? this.#tools : noTools;
  }

  /** The number of calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** Resolves when the present start has come to something. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** Starts it, unless it runs or is going to. */
  start(): void {
    if (this.#state.type === 'off') this.#begin();
  }

  /** Starts it anew. */
  async restart(): Promise<void> {
    await this.stop();
    this.#failures = 0;
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#attempt += 1;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#wanted.abort();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#state = { type: 'off' };
    await connection?.close();
  }

  async call(tool: string, parameters: PlainObject, signal: AbortSignal): Promise<CallToolResult> {
    const { name } = this.settings;
    const connection = this.#connection;
    if (connection === undefined) throw new Error(`the server ${name} does not run now`);
    this.#calls += 1;
    return connection.call(tool, parameters, signal);
  }

  #begin(): void {
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.#state = { type: 'starting' };
    this.#wanted = new AbortController();
    const { command = [], url } = this.settings;
    this.log.add('started', url ?? command.join(' '));
    this.#settled = this.#try(attempt);
  }

  async #try(attempt: number): Promise<void> {
    try {
      await this.#connect(attempt);
    } catch (error) {
      if (attempt === this.#attempt) this.#fail(error);
    }
  }

  async #connect(attempt: number): Promise<void> {
    const { connect, review, clock } = this.#ports;
    const isCurrent = (): boolean => attempt === this.#attempt;
    const connection = await connect(this.settings, {
      log: this.log,
      signal: this.#wanted.signal,
      ended: (how) => {
        if (isCurrent()) this.#fail(new Error(how));
      },
      toolsChanged: () => {
        if (isCurrent()) void this.#look(connection);
      },
    });
    if (!isCurrent()) return connection.close();
    this.#connection = connection;
    const tools = await connection.tools();
    await review(this.settings.name, tools);
    if (!isCurrent()) return;
    this.#tools = tools;
    this.#state = { type: 'ready', since: clock.now() };
    this.log.add('ready', `${tools.length} tools`);
  }

  /** Takes over a changed list of tools. One that cannot be read or reviewed leaves no tools: the earlier ones are no longer true. */
  async #look(connection: ServerConnection): Promise<void> {
    let tools: readonly ListedTool[] = noTools;
    try {
      const listed = await connection.tools();
      await this.#ports.review(this.settings.name, listed);
      tools = listed;
    } catch (error) {
      this.log.add('error', messageOf(error));
    }
    if (connection === this.#connection) this.#tools = tools;
  }

  /** Says why it does not run, and starts it again after a pause; one that wants a login waits for a person. */
  #fail(error: unknown): void {
    this.#attempt += 1;
    const { clock, wantsLogin } = this.#ports;
    const state = this.#state;
    const connection = this.#connection;
    this.#connection = undefined;
    const message = this.log.mask(messageOf(error));
    this.log.add('ended', message);
    void closeQuietly(connection);
    if (wantsLogin(error)) {
      this.#state = { type: 'needs-login', message };
      return;
    }
    if (state.type === 'ready' && clock.now() - state.since >= isSteady) this.#failures = 0;
    const pause = pauses[Math.min(this.#failures, pauses.length - 1)] ?? pauses[0];
    this.#failures += 1;
    this.#state = { type: 'failed', message, failures: this.#failures, retryAt: clock.now() + pause };
    this.#cancelRetry = clock.after(pause, () => this.#begin());
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Closes what has failed already. */
async function closeQuietly(connection: ServerConnection | undefined): Promise<void> {
  try {
    await connection?.close();
  } catch {
    // It is gone.
  }
}
