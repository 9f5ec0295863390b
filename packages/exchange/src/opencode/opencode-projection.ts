import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { knownFields, listAt, objectAt, objectIn, textAt } from '../foreign/fields.ts';
import type { OpencodeMessage } from './opencode-session.ts';

/**
 * Reads a message of the table `session_message`, which newer versions of opencode keep instead of messages and parts: one JSON value with the whole
 * content, its kind beside it. Returns the message and the parts that older versions would have kept.
 */
export function messageOfRow(row: PlainObject, data: PlainObject): OpencodeMessage {
  const message = { ...data, id: row.id, type: textAt(row, 'type') ?? data.type };
  const { id } = message;
  const type = textAt(message, 'type') ?? '';
  const time = objectAt(data, 'time') ?? { created: row.time_created };
  switch (type) {
    case 'user': {
      const files = listAt(data, 'files').filter(isPlainObject).map(filePart);
      return { info: { id, role: 'user', time }, parts: [textPart(data, false), ...files] };
    }
    case 'synthetic':
    case 'system':
    case 'skill':
      return { info: { id, role: 'user', time }, parts: [textPart(data, true)] };
    case 'shell':
      return { info: { id, role: 'user', time }, parts: [{ type: 'text', text: shellText(data), synthetic: true }] };
    case 'assistant':
      return { info: assistantInfo(id, time, data), parts: listAt(data, 'content').filter(isPlainObject).map(partOf) };
    case 'compaction':
      // A compaction that is under way or has failed changes nothing that models are shown.
      return textAt(data, 'summary') === undefined || (data.status ?? 'completed') !== 'completed'
        ? { info: { id, role: 'user', time }, parts: [] }
        : {
            info: { ...assistantInfo(id, { ...time, completed: time.created }, data), summary: true },
            parts: [{ type: 'text', text: data.summary }],
          };
    case 'agent-switched':
    case 'model-switched':
    case 'location-switched':
    case 'idle':
      return { info: { id, role: 'user', time }, parts: [] };
    default:
      // An unknown kind is kept unchanged, as parts of unknown kinds are.
      return { info: { id, role: 'user', time }, parts: [{ ...message, synthetic: true }] };
  }
}

function textPart(data: PlainObject, synthetic: boolean): PlainObject {
  return { type: 'text', text: textAt(data, 'text') ?? '', ...(synthetic ? { synthetic } : {}) };
}

/** Returns a command that the user ran, and its output: the model is shown both. */
function shellText(data: PlainObject): string {
  const output = textAt(data, 'output') ?? textAt(objectAt(data, 'output'), 'text', 'content', 'stdout') ?? '';
  return `$ ${textAt(data, 'command') ?? ''}\n${output}`;
}

function assistantInfo(id: unknown, time: PlainObject, data: PlainObject): PlainObject {
  const model = objectAt(data, 'model');
  const failure = objectAt(data, 'error');
  return {
    id,
    role: 'assistant',
    time,
    ...knownFields({
      providerID: textAt(model, 'providerID'),
      modelID: textAt(model, 'id', 'modelID'),
      tokens: objectAt(data, 'tokens'),
      cost: data.cost,
      finish: textAt(data, 'finish'),
      error: failure && { name: textAt(failure, 'type', 'name') ?? 'error', message: textAt(failure, 'message') ?? '' },
    }),
  };
}

function partOf(content: PlainObject): PlainObject {
  if (content.type === 'reasoning')
    return {
      type: 'reasoning',
      text: content.text,
      metadata: content.native ?? content.state ?? content.providerState,
    };
  if (content.type !== 'tool') return content;
  const state = objectAt(content, 'state') ?? {};
  const shown = listAt(state, 'content').filter(isPlainObject);
  const texts = shown.flatMap((part) => (part.type === 'text' ? [textAt(part, 'text') ?? ''] : []));
  const files = [...shown.filter(({ type }) => type === 'file'), ...listAt(state, 'attachments').filter(isPlainObject)];
  const error = objectAt(state, 'error');
  const input = objectIn(state.input);
  return {
    type: 'tool',
    callID: content.id,
    tool: content.name,
    state: {
      status: state.status,
      ...(input === undefined ? {} : { input }),
      output: texts.join('\n'),
      ...(error === undefined ? {} : { error: textAt(error, 'message') ?? texts.join('\n') }),
      ...(files.length === 0 ? {} : { attachments: files.map(filePart) }),
      ...knownFields({ metadata: objectAt(state, 'metadata', 'structured'), time: objectAt(content, 'time') }),
    },
  };
}

function filePart(file: PlainObject): PlainObject {
  return {
    type: 'file',
    url: textAt(file, 'uri', 'url'),
    mime: textAt(file, 'mime'),
    filename: textAt(file, 'name', 'filename'),
  };
}
