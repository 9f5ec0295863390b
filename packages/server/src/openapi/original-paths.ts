import { about, answers, body, failed, listOf } from './original-parts.ts';
import type { Json } from './original-parts.ts';
import { originalSettingsPaths } from './original-settings-paths.ts';

const nodeId = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The full id of a node, URL-encoded: root-1%2Fnode-2.',
  schema: { type: 'string' },
};

const format = {
  name: 'format',
  in: 'query',
  description: 'legacy returns messages in the form used until September 2025, with a Deprecation header.',
  schema: { enum: ['blocks', 'legacy'] },
};

const node = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    root_id: { type: 'string' },
    parent_id: { type: 'string' },
    child_ids: { type: 'array', items: { type: 'string' } },
    message: {
      type: 'object',
      properties: { role: { enum: ['user', 'assistant', 'tool'] }, content: { type: ['array', 'string', 'null'] } },
      required: ['role', 'content'],
    },
    metadata: { type: 'object' },
    pendingGeneration: {
      type: 'object',
      description: 'Whether it is being answered; only if the node was requested alone.',
      properties: { status: { enum: ['pending', 'idle'] } },
      required: ['status'],
    },
  },
  required: ['id', 'root_id', 'parent_id', 'child_ids', 'message', 'metadata'],
};

const root = {
  type: 'object',
  properties: { id: { type: 'string' }, createdAt: { type: 'string' }, config: { type: 'object' } },
  required: ['id', 'createdAt', 'config'],
};

const removed = {
  type: 'object',
  properties: {
    success: { const: true },
    removed: { type: 'array', items: { type: 'string' } },
    kept: { type: 'array', items: { type: 'string' } },
  },
  required: ['success', 'removed', 'kept'],
};

const content = {
  description: 'Text, or blocks of text; a tool-use is refused.',
  anyOf: [
    { type: 'string' },
    {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { type: { const: 'text' }, text: { type: 'string' } },
        required: ['type', 'text'],
      },
    },
  ],
};

const path = {
  type: 'object',
  properties: {
    root: { type: 'object', description: 'The config of the conversation.' },
    messages: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          role: { enum: ['user', 'assistant', 'tool'] },
          content: { type: ['array', 'string', 'null'] },
          nodeId: { type: 'string' },
          timestamp: { type: 'string' },
          sourceProvider: { type: 'string' },
          sourceModelName: { type: 'string' },
        },
        required: ['role', 'content', 'nodeId', 'timestamp'],
      },
    },
  },
  required: ['root', 'messages'],
};

/** The routes of the original Loom. */
export const originalPaths = {
  '/api/nodes/{id}': {
    get: reads('original.node', 'A node or a conversation.', { anyOf: [node, root] }),
    delete: removes(
      'original.remove',
      'Deletes a node and everything below it, except what is protected by bookmarks.',
    ),
  },
  '/api/nodes/{id}/path': { get: reads('original.path', 'The messages from the first one down to a node.', path) },
  '/api/nodes/{id}/children': {
    get: reads('original.children', 'The nodes below a node.', listOf(node)),
    delete: removes(
      'original.removeChildren',
      'Deletes everything below a node, except what is protected by bookmarks.',
    ),
  },
  '/api/nodes/{id}/siblings': {
    get: reads('original.siblings', 'The siblings of a node.', listOf(node)),
    delete: removes(
      'original.removeSiblings',
      'Deletes the siblings of a node, except what is protected by bookmarks.',
    ),
  },
  '/api/nodes/{id}/append': {
    post: {
      ...about('original.append', 'Adds a message below a node, or a first message to a conversation.', [
        nodeId,
        format,
      ]),
      requestBody: body({ role: { enum: ['user', 'assistant'], default: 'user' }, content }, ['content']),
      responses: answers(200, 'The node.', node),
    },
  },
  '/api/nodes/{id}/content': {
    put: {
      ...about('original.edit', 'Edits a message; if it has answers, it is split where the texts diverge.', [
        nodeId,
        format,
      ]),
      requestBody: body({ content }, ['content']),
      responses: answers(200, 'The node that has the new text.', node),
    },
  },
  '/api/nodes/{id}/generate': {
    post: {
      ...about(
        'original.generate',
        'Has a model answer a node. With format=legacy, returns once the answer is complete.',
        [nodeId, format],
      ),
      requestBody: body(
        {
          providerName: { type: 'string' },
          modelName: { type: 'string' },
          activeTools: { type: 'array', items: { type: 'string' } },
          n: { type: 'integer', minimum: 1 },
          max_tokens: { type: 'number' },
          temperature: { type: 'number' },
        },
        ['providerName', 'modelName'],
      ),
      responses: answers(200, 'Confirms the start; with format=legacy, the first node of each answer.', {
        anyOf: [{ type: 'object', properties: { success: { const: true } }, required: ['success'] }, listOf(node)],
      }),
    },
  },
  '/api/nodes/{id}/generation': {
    get: {
      ...about('original.generation', 'Streams the progress of the answers to a node as server-sent events.', [
        nodeId,
        format,
      ]),
      responses: {
        200: {
          description: 'Events: {status, added?, error?}.',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        default: failed,
      },
    },
  },
  '/api/roots': {
    get: {
      ...about('original.roots', 'The conversations, most recently changed first.', []),
      responses: answers(200, 'The conversations.', listOf(root)),
    },
    post: {
      ...about('original.begin', 'Finds the conversation with a system prompt, or starts it.', []),
      requestBody: body({ systemPrompt: { type: 'string' } }, []),
      responses: answers(200, 'The conversation.', root),
    },
  },
  ...originalSettingsPaths,
};

function reads(operationId: string, summary: string, schema: Json): Json {
  return { ...about(operationId, summary, [nodeId, format]), responses: answers(200, summary, schema) };
}

function removes(operationId: string, summary: string): Json {
  return {
    ...about(operationId, summary, [nodeId]),
    responses: answers(200, 'The nodes that were deleted, and those that were kept.', removed),
  };
}
