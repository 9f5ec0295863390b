import { Client, SdkHttpError, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import type { CallToolResult, Transport } from '@modelcontextprotocol/client';
import { plainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ProcessPort } from '@loom/kernel';
import about from '../../package.json' with { type: 'json' };
import { commandEnvironment } from '../sandbox/environment.ts';
import { ProcessTransport } from './process-transport.ts';
import type { ServerLog } from './server-log.ts';
import type { ServerSettings, ToolClaims } from './server-settings.ts';

/** A tool, as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly claims: ToolClaims;
}

/** A server that has answered. */
export interface ServerConnection {
  tools(): Promise<ListedTool[]>;
  call(tool: string, parameters: PlainObject, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
}

export interface ServerPorts {
  processes: Pick<ProcessPort, 'spawn'>;
  /** Loom's own environment, of which programs get little. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Hears about a connection. */
export interface ServerEvents {
  log: ServerLog;
  /** The server has ended, or can no longer be reached. */
  ended(how: string): void;
  /** It has other tools than before. */
  toolsChanged(): void;
  /** Aborted when it is no longer wanted, also before it has answered. */
  signal: AbortSignal;
}

/** The server wants a login. */
export class LoginNeeded extends Error {}

/** The time that a server has to answer when it is started, in milliseconds: `npx` may load it first. */
const startTime = 60_000;
/** The time without news of a call, in milliseconds, and the longest time in all. */
const callTime = 300_000;
const longestCall = 3_600_000;
const mostPages = 20;
const mostTools = 500;
/** The most characters that a tool may be described in: all of them are read by the model in every request. */
const longestDescription = 32_768;

/** Starts or reaches a server, and waits for its first answer. */
export async function connectServer(
  settings: ServerSettings,
  ports: ServerPorts,
  events: ServerEvents,
): Promise<ServerConnection> {
  const { log } = events;
  const client = new Client(
    { name: 'loom', version: about.version },
    { listChanged: { tools: { autoRefresh: false, onChanged: () => events.toolsChanged() } } },
  );
  let how: string | undefined;
  const transport = transportOf(settings, ports, log, (said) => (how = said));
  Object.assign(client, { onerror: (error: Error) => log.add('error', error.message) });
  try {
    await client.connect(transport, { timeout: startTime, signal: events.signal });
  } catch (error) {
    await transport.close();
    log.flush();
    if (isLoginNeeded(error)) throw new LoginNeeded('the server asks for a login', { cause: error });
    throw new Error(how ?? describeFailure(error), { cause: error });
  }
  const onclose = (): void => {
    log.flush();
    events.ended(how ?? 'the connection was closed');
  };
  Object.assign(client, { onclose });
  return {
    tools: () => listTools(client, log),
    async call(name, parameters, signal) {
      const limits = { timeout: callTime, resetTimeoutOnProgress: true, maxTotalTimeout: longestCall };
      try {
        return await client.request(
          { method: 'tools/call', params: { name, arguments: parameters } },
          { signal, ...limits, onprogress: () => {} },
        );
      } catch (error) {
        // A server at an address is connected to anew: it may have been started again, and forgotten the session.
        if (isUnreachable(error)) events.ended(describeFailure(error));
        throw error;
      }
    },
    close: () => client.close(),
  };
}

function transportOf(
  { command, environment, url, headers }: ServerSettings,
  ports: ServerPorts,
  log: ServerLog,
  ended: (how: string) => void,
): Transport {
  if (url === undefined && command === undefined)
    throw new Error('the settings give it neither a program (command) nor an address (url)');
  if (url !== undefined && !URL.canParse(url)) throw new Error('its address (url) in the settings is none');
  // Redirects to another origin are not followed: the headers may hold keys.
  if (url !== undefined) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const order = {
    command: command ?? [],
    directory: ports.environment['HOME'] ?? '/',
    environment: { ...commandEnvironment(ports.environment, false), ...environment },
  };
  return new ProcessTransport(ports.processes, order, (piece) => log.print(piece), ended);
}

/** Returns the reason of a failure; that of a failed request is the cause of what fetch throws. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return `it cannot be reached: ${'code' in cause ? String(cause.code) : cause.message}`;
}

/** Returns true if a request found no server, or one that does not know the session. */
function isUnreachable(error: unknown): boolean {
  return error instanceof SdkHttpError || (error instanceof TypeError && error.cause instanceof Error);
}

function isLoginNeeded(error: unknown): boolean {
  if (error instanceof UnauthorizedError) return true;
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403);
}

async function listTools(client: Client, log: ServerLog): Promise<ListedTool[]> {
  const found = new Map<string, ListedTool>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, { timeout: startTime });
    for (const { name, title, description = title ?? '', inputSchema, annotations } of tools) {
      const parameters = plainObject.safeParse(inputSchema);
      const size = description.length + JSON.stringify(inputSchema).length;
      if (!parameters.success || size > longestDescription) {
        log.add('error', `The tool ${name} is left out: its description cannot be used, or is longer than 32 KB.`);
        continue;
      }
      const isReading = annotations?.readOnlyHint === true;
      const isDestructive = !isReading && annotations?.destructiveHint === true;
      const claims = { description, parameters: parameters.data, isReading, isDestructive };
      if (found.size < mostTools) found.set(name, { name, claims });
    }
    if (nextCursor === undefined || found.size >= mostTools) break;
    cursor = nextCursor;
  }
  return [...found.values()];
}
