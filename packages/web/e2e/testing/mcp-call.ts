import { z } from 'zod';
import type { OpenedPage } from './open-page.ts';

const made = z.object({ token: z.string() });
const answer = z.object({
  result: z
    .object({
      isError: z.boolean().optional(),
      content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
    })
    .optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** A program that calls tools by the Model Context Protocol, over HTTP. */
export interface McpProgram {
  /** Calls a tool; fails if the tool says that it failed. */
  call: (name: string, params: unknown) => Promise<void>;
}

/** Connects a program, under a name of its own. */
export async function connectProgram({ ask, served }: OpenedPage, agent: string): Promise<McpProgram> {
  const { token } = made.parse(await ask('token.create', { agent, type: 'tool', role: 'writer' }));
  let session: string | null = null;
  let id = 0;
  const post = async (method: string, params: unknown, isNotice = false): Promise<z.infer<typeof answer>> => {
    const response = await fetch(new URL('/mcp', served.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        ...(session === null ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(isNotice ? {} : { id: (id += 1) }) }),
    });
    session = response.headers.get('mcp-session-id') ?? session;
    const text = await response.text();
    if (isNotice) return {};
    // An answer is a document, or the last event of a stream.
    const document = text.startsWith('{') ? text : (/.*^data: (\{.*)$/msu.exec(text)?.[1] ?? text);
    return answer.parse(JSON.parse(document));
  };
  await post('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  await post('notifications/initialized', {}, true);
  return {
    async call(name, params) {
      const { result, error } = await post('tools/call', { name, arguments: params });
      if (error !== undefined || result?.isError === true) {
        throw new Error(error?.message ?? JSON.stringify(result?.content));
      }
    },
  };
}
