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
  description: 'legacy answers messages as they were until September 2025, with a Deprecation header.',
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
      description: 'Whether it is being answered, of a node that was asked for alone.',
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
    delete: removes('original.remove', 'Deletes a node, with everything below it that no bookmark protects.'),
  },
  '/api/nodes/{id}/path': { get: reads('original.path', 'The messages from the first down to a node.', path) },
  '/api/nodes/{id}/children': {
    get: reads('original.children', 'The nodes below a node.', listOf(node)),
    delete: removes('original.removeChildren', 'Deletes what is below a node, except what bookmarks protect.'),
  },
  '/api/nodes/{id}/siblings': {
    get: reads('original.siblings', 'The nodes beside a node.', listOf(node)),
    delete: removes('original.removeSiblings', 'Deletes the nodes beside a node, except what bookmarks protect.'),
  },
  '/api/nodes/{id}/append': {
    post: {
      ...about('original.append', 'Says something below a node, or in a conversation.', [nodeId, format]),
      requestBody: body({ role: { enum: ['user', 'assistant'], default: 'user' }, content }, ['content']),
      responses: answers(200, 'The node.', node),
    },
  },
  '/api/nodes/{id}/content': {
    put: {
      ...about('original.edit', 'Gives a message another text; where texts share a beginning it is split there.', [
        nodeId,
        format,
      ]),
      requestBody: body({ content }, ['content']),
      responses: answers(200, 'The node that has the text.', node),
    },
  },
  '/api/nodes/{id}/generate': {
    post: {
      ...about('original.generate', 'Lets a model answer a node. With format=legacy it answers when that is over.', [
        nodeId,
        format,
      ]),
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
      responses: answers(200, 'That it has begun; with format=legacy the first node of each answer.', {
        anyOf: [{ type: 'object', properties: { success: { const: true } }, required: ['success'] }, listOf(node)],
      }),
    },
  },
  '/api/nodes/{id}/generation': {
    get: {
      ...about(
        'original.generation',
        'What becomes of the answers to a node that were asked for, as server-sent events.',
        [nodeId, format],
      ),
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
      ...about('original.roots', 'The conversations, the one that was changed last first.', []),
      responses: answers(200, 'The conversations.', listOf(root)),
    },
    post: {
      ...about('original.begin', 'Finds the conversation with a system prompt, or begins it.', []),
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
    responses: answers(200, 'What was deleted, and what was kept.', removed),
  };
}
