import { about, answers, body, listOf } from './original-parts.ts';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };

const answering = {
  type: 'object',
  properties: { model: text, n: { type: 'integer' }, temperature: { type: 'number' }, maxTokens: { type: 'integer' } },
  required: ['n'],
};

const bookmark = {
  type: 'object',
  properties: { title: text, nodeId: text, rootId: text, createdAt: text, updatedAt: text },
  required: ['title', 'nodeId', 'rootId', 'createdAt', 'updatedAt'],
};

const structure = {
  type: 'object',
  properties: {
    id: text,
    parent_id: textOrNull,
    child_ids: listOf(text),
    root_id: text,
    timestamp: text,
    role: { enum: ['user', 'assistant', 'tool', 'system'] },
  },
  required: ['id', 'parent_id', 'child_ids', 'root_id', 'timestamp', 'role'],
};

const state = { type: 'object', properties: { currentNodeId: textOrNull }, required: ['currentNodeId'] };
const activePreset = { type: 'object', properties: { activePresetName: textOrNull }, required: ['activePresetName'] };

const title = { name: 'id', in: 'path', required: true, description: 'The title, URL-encoded.', schema: text };

/** The routes of the original that are about more than one conversation. */
export const originalSettingsPaths = {
  '/api/state': {
    get: {
      ...about('original.state', 'Where a person left off.', []),
      responses: answers(200, 'The id of a node or a conversation, or null.', state),
    },
    put: {
      ...about('original.setState', 'Stores where a person left off.', []),
      requestBody: body({ currentNodeId: text }, ['currentNodeId']),
      responses: answers(200, 'The same.', state),
    },
  },
  '/api/bookmarks': {
    get: {
      ...about('original.bookmarks', 'The bookmarks of all conversations.', []),
      responses: answers(200, 'The bookmarks.', listOf(bookmark)),
    },
    post: {
      ...about('original.saveBookmark', 'Sets a bookmark; an existing one with the same title is removed.', []),
      requestBody: body({ title: text, nodeId: text, rootId: text }, ['title', 'nodeId']),
      responses: answers(200, 'The bookmark.', bookmark),
    },
  },
  '/api/bookmarks/{id}': {
    delete: {
      ...about('original.removeBookmark', 'Removes the bookmarks with a title.', [title]),
      responses: answers(200, 'Returned whether or not there was one.', {
        type: 'object',
        properties: { success: { const: true } },
        required: ['success'],
      }),
    },
  },
  '/api/config/defaults': {
    get: {
      ...about('original.defaults', 'The values that apply without a preset.', []),
      responses: answers(200, 'The defaults.', {
        ...answering,
        properties: { ...answering.properties, systemPrompt: text },
      }),
    },
  },
  '/api/config/presets': {
    get: {
      ...about('original.presets', 'The presets, and which one is active.', []),
      responses: answers(200, 'The presets.', {
        type: 'object',
        properties: {
          presets: { type: 'object', additionalProperties: answering },
          activePresetName: textOrNull,
        },
        required: ['presets', 'activePresetName'],
      }),
    },
  },
  '/api/config/active-preset': {
    put: {
      ...about('original.choosePreset', 'Makes a preset the active one, or none with null.', []),
      requestBody: body({ presetName: textOrNull }, ['presetName']),
      responses: answers(200, 'The active one.', activePreset),
    },
  },
  '/api/models': {
    get: {
      ...about('original.models', 'The models that can be used now, as <provider>/<model>.', []),
      responses: answers(200, 'The models.', listOf(text)),
    },
  },
  '/api/tools': {
    get: {
      ...about('original.tools', 'The tools that models may use.', []),
      responses: answers(200, 'The tools.', {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: text, description: text, parameters: { type: 'object' } },
          required: ['name', 'description', 'parameters'],
        },
      }),
    },
  },
  '/api/graph/topology': {
    get: {
      ...about('original.topology', 'The shape of all conversations, at most 20,000 nodes, the newest first.', []),
      responses: answers(200, 'Every node, without its content.', listOf(structure)),
    },
  },
};
