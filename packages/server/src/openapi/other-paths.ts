import { roles } from '@loom/kernel';

type Json = Record<string, unknown>;

const problem = {
  description: 'The server rejected the request, refused the operation, or failed.',
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

/** Describes the answer about health. A request without a token gets only the first field. */
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

/** The routes beside operations. */
export const otherPaths = {
  '/auth/sign-in': {
    post: {
      operationId: 'signIn',
      summary: 'Exchanges a one-time code for a token.',
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
      summary: 'Gives an owner a code that signs a browser in once, within five minutes.',
      responses: {
        200: answered('The code, and the address to open in a browser.', {
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
      summary: 'Returns a ticket that opens one WebSocket within 30 seconds.',
      responses: { 200: answered('A ticket.', { ticket: { type: 'string' } }), default: problem },
    },
  },
  '/auth/me': {
    get: {
      operationId: 'whoAmI',
      summary: 'Returns the agent that the token stands for.',
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
  '/api/v1/share': {
    get: {
      operationId: 'readShare',
      summary: 'Returns what a link shows. Its secret is the bearer token, and opens these three routes alone.',
      responses: {
        200: answered('The messages of the shared branches, parents before children.', {
          root: { type: 'string' },
          nodes: { type: 'array', items: { type: 'object' } },
          replaced: { type: 'boolean' },
          until: { type: 'integer' },
        }),
        default: problem,
      },
    },
  },
  '/api/v1/share/blobs/{id}': {
    get: {
      operationId: 'readSharedBlob',
      summary: 'Returns a picture or a text of a link, by the id that it has there.',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: { description: 'The bytes.', content: bytes }, default: problem },
    },
  },
  '/api/v1/share/events': {
    get: {
      operationId: 'followShare',
      summary: 'Says when what a link shows is another now, and when the link ends: `{type}` is `changed` or `ended`.',
      responses: endlessEvents,
    },
  },
  '/api/v1/blobs': {
    post: {
      operationId: 'putBlob',
      summary: 'Stores up to 32 MB and returns the id that blocks refer to it by.',
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
      summary: 'Returns the bytes of a blob, or one range of them.',
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
      summary: 'Stores a file of up to 1 GB until import.start has imported it or Loom restarts. For owners.',
      requestBody: { required: true, content: bytes },
      responses: {
        200: answered('The id to pass to import.start.', { upload: { type: 'string' }, bytes: { type: 'integer' } }),
        default: problem,
      },
    },
  },
  '/api/v1/events': {
    get: {
      operationId: 'followByEvents',
      summary:
        'Streams what happens in a conversation as server-sent events. The data of each event is a frame of the feed.',
      parameters: [
        { name: 'root', in: 'query', required: true, schema: { type: 'string' } },
        queryText('path', 'Only the path down to this node and everything below it.'),
        queryText('subtree', 'Only this node and everything below it.'),
        queryText('leaf', 'The last node of the branch to start with. Default: the most recently active branch.'),
        queryText('after', 'The id of the last event received. The header Last-Event-ID does the same.'),
        queryText('join', 'An id of your choice; the answer to the join carries it.'),
      ],
      responses: endlessEvents,
    },
    post: {
      operationId: 'sayToEvents',
      summary:
        'Sends a frame to an event stream, which answers it; for example, asks for nodes that were not sent yet.',
      requestBody: {
        required: true,
        content: json({
          stream: { type: 'string', description: 'The join parameter of the stream.' },
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
        'Returns whether the server is up. With a token, also its version, its store, losses, free disk space, and what is open and running.',
      security: [{}, { token: [] }],
      responses: {
        200: healthAnswer('It is up.'),
        503: healthAnswer('The server is down: its store cannot be read, its disk is full, or it is stopping.'),
        default: problem,
      },
    },
  },
  '/api/v1/list/events': {
    get: {
      operationId: 'followListByEvents',
      summary:
        'Streams the list of conversations as server-sent events: a first page, then each conversation that changes.',
      parameters: [
        queryText('limit', 'The most conversations on the first page. Default: 100.'),
        queryText('after', 'The id of the last event received. The header Last-Event-ID does the same.'),
        queryText('join', 'An id of your choice; the answer to the join carries it.'),
      ],
      responses: endlessEvents,
    },
  },
  '/api/v1/feed': {
    get: {
      operationId: 'followBySocket',
      summary:
        'Opens a WebSocket for the feed of a conversation, texts that are edited together, or the list of conversations.',
      security: [],
      parameters: [{ name: 'ticket', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { 101: { description: 'Switching protocols.' }, default: problem },
    },
  },
};
