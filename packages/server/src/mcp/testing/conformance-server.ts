import { createHash } from 'node:crypto';
import {
  completable,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import type { InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { offerQuestions } from './conformance-questions.ts';

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

const text = (said: string) => ({ type: 'text' as const, text: said });
const picture = { type: 'image' as const, data: image, mimeType: 'image/png' };
const attached = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'The text of a resource.' },
});
const said = (...content: ReturnType<typeof text>[]) => ({ content });

/** The server that the official conformance suite expects to find: it has a tool for each thing that the protocol can carry. */
export function createConformanceServer(bus: InMemoryServerEventBus): McpServer {
  const codec = createRequestStateCodec({ key: createHash('sha256').update('conformance').digest() });
  const server = new McpServer(
    { name: 'conformance', version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  );
  offerContents(server);
  offerEvents(server, bus);
  offerResources(server);
  offerPrompts(server);
  offerQuestions(server, codec);
  return server;
}

function offerContents(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Answers with a text.' }, () =>
    said(text('Nothing but a text.')),
  );
  server.registerTool('test_image_content', { description: 'Answers with an image.' }, () => ({ content: [picture] }));
  server.registerTool('test_audio_content', { description: 'Answers with a sound.' }, () => ({
    content: [{ type: 'audio', data: sound, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', { description: 'Answers with a resource.' }, () => ({
    content: [attached('test://embedded-resource')],
  }));
  server.registerTool('test_multiple_content_types', { description: 'Answers with several contents.' }, () => ({
    content: [text('Several contents:'), picture, attached('test://mixed-content-resource')],
  }));
  server.registerTool('test_error_handling', { description: 'Fails.' }, () => ({
    isError: true,
    content: [text('It failed, as it always does.')],
  }));
}

function offerEvents(server: McpServer, bus: InMemoryServerEventBus): void {
  const nothing = z.object({});
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(
      name,
      { description: 'Logs while it works.', inputSchema: nothing },
      async (_params, { mcpReq }) => {
        for (const step of ['started', 'works', 'is done']) {
          await mcpReq.log('info', `The tool ${step}.`);
          await pause();
        }
        return said(text('done'));
      },
    );
  }
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Tells how far it is.', inputSchema: nothing },
    async (_params, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 0;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
        await mcpReq.notify({ method: 'notifications/progress', params });
        await pause();
      }
      return said(text(String(progressToken)));
    },
  );
  server.registerTool('test_trigger_tool_change', { description: 'Says that there are other tools.' }, () => {
    bus.publish({ kind: 'tools_list_changed' });
    return said(text('done'));
  });
  server.registerTool('test_trigger_prompt_change', { description: 'Says that there are other prompts.' }, () => {
    bus.publish({ kind: 'prompts_list_changed' });
    return said(text('done'));
  });
  server.registerTool(
    'test_reconnection',
    { description: 'Ends the stream while it works.', inputSchema: nothing },
    async (_params, { http }) => {
      http?.closeSSE?.();
      await pause();
      return said(text('The client came back.'));
    },
  );
}

/** Pauses between messages: the suite counts those that come one after the other. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

function offerResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' };
  server.registerResource('static-text', 'test://static-text', plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: 'What never changes.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: image }],
  }));
  server.registerResource('watched', 'test://watched-resource', plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: 'It is watched.' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: 'application/json',
        text: JSON.stringify({ asked_for: id }),
      },
    ],
  }));
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function offerPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: 'user' as const, content });
  server.registerPrompt('test_simple_prompt', { description: 'One message.' }, () => ({
    messages: [user(text('Say anything.'))],
  }));
  const word = (begin: string) =>
    completable(z.string(), (value) => [begin, `${begin}-other`].filter((one) => one.startsWith(value)));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Takes arguments.', argsSchema: z.object({ arg1: word('test'), arg2: word('other') }) },
    ({ arg1, arg2 }) => ({ messages: [user(text(`The first is ${arg1}, the second ${arg2}.`))] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Has a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({ messages: [user(attached(resourceUri)), user(text('Read this.'))] }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Has an image.' }, () => ({
    messages: [user(picture), user(text('Look at this.'))],
  }));
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first.' }, ({ mcpReq }) => {
    if (mcpReq.inputResponses?.['user_context'] === undefined) {
      const requestedSchema = z.object({ context: z.string() });
      const question = inputRequired.elicit({ message: 'In which context?', requestedSchema });
      return inputRequired({ inputRequests: { user_context: question } });
    }
    return { messages: [user(text('The prompt with its context.'))] };
  });
}
