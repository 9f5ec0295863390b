import { inputRequired } from '@modelcontextprotocol/server';
import type { InputRequest, McpServer, RequestStateCodec, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const nothing = z.object({});

const askFor = (message: string, field: string): InputRequest =>
  inputRequired.elicit({ message, requestedSchema: z.object({ [field]: z.string() }) });
const askToConfirm = inputRequired.elicit({
  message: 'Go on?',
  requestedSchema: z.object({ ok: z.boolean() }),
});
const askModel = (question: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });

/** Offers the tools of the conformance suite that ask the client for something, in both ways. */
export function offerQuestions(server: McpServer, codec: RequestStateCodec): void {
  offerPushedQuestions(server);
  offerRounds(server, codec);
  const ask = (name: string, requests: Record<string, InputRequest>): void => {
    server.registerTool(name, { description: 'Asks first.', inputSchema: nothing }, (_params, { mcpReq }) => {
      const answers = mcpReq.inputResponses ?? {};
      const missing = Object.keys(requests).some((key) => answers[key] === undefined);
      return missing ? inputRequired({ inputRequests: requests }) : text(`Hello: ${JSON.stringify(answers)}`);
    });
  };
  ask('test_input_required_result_elicitation', { user_name: askFor('What is your name?', 'name') });
  ask('test_streaming_elicitation', { user_name: askFor('What is your name?', 'name') });
  ask('test_input_required_result_sampling', { capital_question: askModel('Which city is the capital?') });
  ask('test_input_required_result_list_roots', { client_roots: inputRequired.listRoots() });
  ask('test_missing_capability', { question: askModel('Anything?') });
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks what the client can answer.', inputSchema: nothing },
    (_params, { mcpReq }) => {
      const { elicitation, sampling } = capabilitiesOf(mcpReq);
      const requests: Record<string, InputRequest> = {
        ...(sampling === undefined ? {} : { question: askModel('Anything?') }),
        ...(elicitation === undefined ? {} : { user_name: askFor('What is your name?', 'name') }),
      };
      const isAnswered = mcpReq.inputResponses !== undefined || Object.keys(requests).length === 0;
      return isAnswered ? text('done') : inputRequired({ inputRequests: requests });
    },
  );
}

const envelope = z.object({
  'io.modelcontextprotocol/clientCapabilities': z.object({ elicitation: z.unknown(), sampling: z.unknown() }).partial(),
});

function capabilitiesOf({ envelope: given }: ServerContext['mcpReq']): { elicitation?: unknown; sampling?: unknown } {
  return envelope.safeParse(given).data?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
}

/** Rounds that carry a state which the client gives back unchanged. */
function offerRounds(server: McpServer, codec: RequestStateCodec): void {
  const rounds = (name: string, steps: Record<string, InputRequest>[], done: string): void => {
    server.registerTool(name, { description: 'Asks in rounds.', inputSchema: nothing }, async (_params, context) => {
      const round = z.int().catch(0).parse(context.mcpReq.requestState());
      const before = steps[round - 1];
      const isAnswered =
        before === undefined || Object.keys(before).every((key) => context.mcpReq.inputResponses?.[key] !== undefined);
      const next = isAnswered ? round : round - 1;
      const inputRequests = steps[next];
      if (inputRequests === undefined) return text(`${done} ${JSON.stringify(context.mcpReq.inputResponses)}`);
      return inputRequired({ inputRequests, requestState: await codec.mint(next + 1, context) });
    });
  };
  rounds('test_input_required_result_request_state', [{ confirm: askToConfirm }], 'state-ok');
  rounds('test_input_required_result_tampered_state', [{ confirm: askToConfirm }], 'state-ok');
  rounds(
    'test_input_required_result_multiple_inputs',
    [
      {
        user_name: askFor('What is your name?', 'name'),
        greeting: askModel('Greet the person.'),
        client_roots: inputRequired.listRoots(),
      },
    ],
    'done',
  );
  rounds(
    'test_input_required_result_multi_round',
    [
      { step1: askFor('First: what is your name?', 'name') },
      { step2: askFor('Then: which color do you like?', 'color') },
    ],
    'done',
  );
}

/** Requests from the server to the client, as the revisions before 2026-07-28 have them. */
function offerPushedQuestions(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
      return text(
        `The model of the client said ${JSON.stringify(await mcpReq.requestSampling({ messages, maxTokens: 100 }))}`,
      );
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the person.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) =>
      answerOf(
        await mcpReq.elicitInput({
          message,
          requestedSchema: {
            type: 'object',
            properties: { username: { type: 'string' }, email: { type: 'string' } },
            required: ['username', 'email'],
          },
        }),
      ),
  );
  server.registerTool(
    'test_elicitation_sep1034_defaults',
    { description: 'Asks with defaults.', inputSchema: nothing },
    async (_params, { mcpReq }) =>
      answerOf(
        await mcpReq.elicitInput({
          message: 'Is this right?',
          requestedSchema: {
            type: 'object',
            properties: {
              name: { type: 'string', default: 'John Doe' },
              age: { type: 'integer', default: 30 },
              score: { type: 'number', default: 95.5 },
              status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
              verified: { type: 'boolean', default: true },
            },
          },
        }),
      ),
  );
  server.registerTool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks to choose.', inputSchema: nothing },
    async (_params, { mcpReq }) =>
      answerOf(await mcpReq.elicitInput({ message: 'Which ones?', requestedSchema: choices })),
  );
}

const titled = (name: string) => [1, 2, 3].map((number) => ({ const: `value${number}`, title: `${name} ${number}` }));
const untitled = ['option1', 'option2', 'option3'];
const choices = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: untitled },
    titledSingle: { type: 'string' as const, oneOf: titled('Option') },
    legacyEnum: {
      type: 'string' as const,
      enum: ['one', 'two', 'three'],
      enumNames: ['One', 'Two', 'Three'],
    },
    untitledMulti: { type: 'array' as const, items: { type: 'string' as const, enum: untitled } },
    titledMulti: { type: 'array' as const, items: { anyOf: titled('Choice') } },
  },
};

function answerOf({ action, content }: { action: string; content?: unknown }) {
  return text(`${action}: ${JSON.stringify(content ?? {})}`);
}
