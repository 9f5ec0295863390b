import { roles } from '@loom/kernel';

type Json = Record<string, unknown>;

const problem = {
  description: 'The server did not let the request in, refused it, or failed.',
  content: {
    'application/json': {
      schema: { anyOf: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/Refused' }] },
    },
  },
};

const endlessEvents = {
  200: { description: 'A stream that does not end.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
  default: problem,
};

const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

function object(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function json(properties: Json): Json {
  return { 'application/json': { schema: object(properties) } };
}

function answered(description: string, value: Json): Json {
  return { description, content: json({ ok: { const: true }, value: object(value) }) };
}

/** Of a request without a token only the first field is answered. */
function healthAnswer(description: string): Json {
  const value = {
    type: 'object',
    properties: {
      up: { type: 'boolean' },
      version: { type: 'string' },
      uptime_s: { type: 'integer' },
      store: { enum: ['ok', 'full', 'stopping', 'failed'] },
      conversations_open: { type: 'integer' },
      turns_running: { type: 'integer' },
      lost_logs: { type: 'integer' },
      damaged_logs: { type: 'integer' },
      memory_bytes: { type: 'integer' },
      disk_free_bytes: { type: 'integer' },
    },
    required: ['up'],
  };
  return { description, content: json({ ok: { const: true }, value }) };
}

function queryText(name: string, description: string): Json {
  return { name, in: 'query', description, schema: { type: 'string' } };
}

/** What can be reached beside operations. */
export const otherPaths = {
  '/auth/sign-in': {
    post: {
      operationId: 'signIn',
      summary: 'Trades a one-time code for a token.',
      security: [],
      requestBody: { required: true, content: json({ code: { type: 'string' } }) },
      responses: {
        200: answered('A token, which is valid for 30 days.', { token: { type: 'string' } }),
        default: problem,
      },
    },
  },
  '/auth/code': {
    post: {
      operationId: 'issueCode',
      summary: 'Gives an owner a code by which a browser signs in once, within five minutes.',
      responses: {
        200: answered('A code, and the address that a browser opens with it.', {
          code: { type: 'string' },
          link: { type: 'string' },
        }),
        default: problem,
      },
    },
  },
  '/auth/ticket': {
    post: {
      operationId: 'issueTicket',
      summary: 'Gives a ticket for one WebSocket, within 30 seconds.',
      responses: { 200: answered('A ticket.', { ticket: { type: 'string' } }), default: problem },
    },
  },
  '/auth/me': {
    get: {
      operationId: 'whoAmI',
      summary: 'The agent that the token stands for.',
      responses: {
        200: answered('Its name, its type and its role.', {
          agent: { type: 'string' },
          type: { type: 'string' },
          role: { enum: [...roles] },
        }),
        default: problem,
      },
    },
  },
  '/api/v1/openapi.json': {
    get: {
      operationId: 'describe',
      summary: 'This document.',
      responses: {
        200: { description: 'An OpenAPI document.', content: { 'application/json': { schema: { type: 'object' } } } },
        default: problem,
      },
    },
  },
  '/api/v1/blobs': {
    post: {
      operationId: 'putBlob',
      summary: 'Keeps up to 32 MB of bytes, and answers the id by which blocks name them.',
      requestBody: { required: true, content: bytes },
      responses: {
        200: answered('Their id.', { blob: { type: 'string' }, bytes: { type: 'integer' } }),
        default: problem,
      },
    },
  },
  '/api/v1/blobs/{id}': {
    get: {
      operationId: 'getBlob',
      summary: 'The bytes of a blob, or one range of them.',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } },
        { name: 'Range', in: 'header', schema: { type: 'string' } },
      ],
      responses: {
        200: { description: 'All bytes.', content: bytes },
        206: { description: 'The range.', content: bytes },
        default: problem,
      },
    },
  },
  '/api/v1/uploads': {
    post: {
      operationId: 'upload',
      summary: 'Keeps a file of up to 1 GB until import.start has taken it in, or Loom is started again. For owners.',
      requestBody: { required: true, content: bytes },
      responses: {
        200: answered('What import.start takes.', { upload: { type: 'string' }, bytes: { type: 'integer' } }),
        default: problem,
      },
    },
  },
  '/api/v1/events': {
    get: {
      operationId: 'followByEvents',
      summary: 'What happens in a conversation, as server-sent events. The data of each is a frame of the feed.',
      parameters: [
        { name: 'root', in: 'query', required: true, schema: { type: 'string' } },
        queryText('path', 'Only the path down to this node, and what is below it.'),
        queryText('subtree', 'Only this node, and what is below it.'),
        queryText('leaf', 'The end of the branch to begin with. Default: the one where something happened last.'),
        queryText('after', 'The id of the last event that was seen; so does the header Last-Event-ID.'),
        queryText('join', 'The id of the answer, for clients that await it.'),
      ],
      responses: endlessEvents,
    },
    post: {
      operationId: 'sayToEvents',
      summary:
        'Says a frame of the feed to a stream of events, which answers it: asks for nodes that were not sent yet.',
      requestBody: {
        required: true,
        content: json({
          stream: { type: 'string', description: 'The `join` of the stream.' },
          frame: object({
            type: { const: 'fetch' },
            id: { type: 'string' },
            nodes: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 500 },
          }),
        }),
      },
      responses: {
        200: {
          description: 'The stream has answered.',
          content: json({ ok: { const: true }, value: { type: 'null' } }),
        },
        default: problem,
      },
    },
  },
  '/api/v1/health': {
    get: {
      operationId: 'health',
      summary:
        'Whether the server is up. With a token also how it is: its version, its store, what is lost, the room that is left, what is open and what runs.',
      security: [{}, { token: [] }],
      responses: {
        200: healthAnswer('It is up.'),
        503: healthAnswer('It is down: its store cannot be read, its disk is full, or it is stopping.'),
        default: problem,
      },
    },
  },
  '/api/v1/list/events': {
    get: {
      operationId: 'followListByEvents',
      summary: 'The list of conversations: a first page, then each that changes, as server-sent events.',
      parameters: [
        queryText('limit', 'How many conversations the first page may have. Default: 100.'),
        queryText('after', 'The id of the last event that was seen; so does the header Last-Event-ID.'),
        queryText('join', 'The id of the answer, for clients that await it.'),
      ],
      responses: endlessEvents,
    },
  },
  '/api/v1/feed': {
    get: {
      operationId: 'followBySocket',
      summary:
        'What happens in a conversation, texts that are edited together, or the list of conversations, by WebSocket.',
      security: [],
      parameters: [{ name: 'ticket', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { 101: { description: 'The protocol is switched.' }, default: problem },
    },
  },
};
