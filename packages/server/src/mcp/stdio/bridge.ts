import type { Readable, Writable } from 'node:stream';
import { isJSONRPCRequest, isJSONRPCResultResponse, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FetchLike, JSONRPCMessage } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

export type { FetchLike };

export interface BridgeOptions {
  input: Readable;
  output: Writable;
  /** Sends a request to the server, wherever that is by now, with what lets it in. */
  fetch: FetchLike;
  /** Ends it before the input does. */
  signal: AbortSignal;
  /** Receives messages that could not be carried; the client gets an error, if it waits for an answer. */
  onFailure: (error: unknown) => void;
}

const welcome = z.object({ protocolVersion: z.string() });

/** Carries MCP between a client on standard input and output and a server that speaks it over HTTP, until the input ends. */
export async function bridgeStdio({ input, output, fetch, signal, onFailure }: BridgeOptions): Promise<void> {
  const client = new StdioServerTransport(input, output);
  // The address is `fetch`'s to know.
  const server = new StreamableHTTPClientTransport(new URL('http://loom.invalid/mcp'), { fetch });
  const over = Promise.withResolvers<void>();
  const carry = async (message: JSONRPCMessage): Promise<void> => {
    try {
      await server.send(message);
    } catch (error) {
      onFailure(error);
      if (isJSONRPCRequest(message)) await client.send({ jsonrpc: '2.0', id: message.id, error: unreachable });
    }
  };
  const bring = async (message: JSONRPCMessage): Promise<void> => {
    // The agreed protocol version goes with every later request.
    const agreed = isJSONRPCResultResponse(message) ? welcome.safeParse(message.result).data : undefined;
    if (agreed !== undefined) server.setProtocolVersion(agreed.protocolVersion);
    await client.send(message);
  };
  Object.assign(client, {
    onmessage: (message: JSONRPCMessage) => void carry(message),
    onclose: () => over.resolve(),
    onerror: onFailure,
  });
  Object.assign(server, {
    onmessage: (message: JSONRPCMessage) => void bring(message).catch(onFailure),
    onerror: onFailure,
  });
  await server.start();
  await client.start();
  signal.addEventListener('abort', () => over.resolve());
  if (!signal.aborted) await over.promise;
  await client.close();
  if (server.sessionId !== undefined) await server.terminateSession().catch(() => {});
  await server.close();
}

const unreachable = {
  code: -32_603,
  message: 'Loom could not be reached. Whether this was done is not known: look before you try again.',
};
