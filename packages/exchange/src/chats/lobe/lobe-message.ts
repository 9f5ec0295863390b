import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { listIn, numberAt, textIn } from '../../foreign/fields.ts';
import type { ForeignNode, Tally } from '../../foreign/foreign.ts';
import type { ChatPiece } from '../chat-tree.ts';
import { keyed, objectOf, pagesBlock, parametersOf, rawBlock, timeFields } from '../fields.ts';

/** Returns a message of LobeChat as nodes: an answer, a user's text, or the result of a call, preceded by a call if `above` does not hold one. */
export function readLobeMessage(
  id: string,
  message: PlainObject,
  above: PlainObject | undefined,
  tally: Tally,
): ChatPiece[] {
  const times = timeFields(message['createdAt']);
  const role = textIn(message['role']) ?? '';
  const details = detailsOf(message);
  switch (role) {
    case 'user': {
      tally.used();
      const blocks = [...spokenText(message), ...filesOf(message)];
      if (blocks.length === 0) return [];
      return [{ id, role: 'user', source: { type: 'user' }, blocks: keyed(id, blocks), ...times, ...details }];
    }
    case 'assistant':
    case 'supervisor':
    case 'task': {
      tally.used();
      const blocks = answerBlocks(id, message);
      if (blocks.length === 0) return [];
      return [{ id, role: 'assistant', source: modelOf(message), blocks: keyed(id, blocks), ...times, ...details }];
    }
    case 'tool':
    case 'function':
      tally.used();
      return resultPieces(id, message, above).map((piece) => ({ ...piece, ...times }));
    default: {
      tally.raw(`role=${role}`);
      const blocks = keyed(id, [...spokenText(message), rawBlock('lobe', message)]);
      return [{ id, role: 'user', source: { type: 'user' }, blocks, ...times, details: { synthetic: true, role } }];
    }
  }
}

/** The text in place of an answer that has not begun: LobeChat stores it while it waits. */
const placeholder = '...';

function spokenText(message: PlainObject): MessageBlock[] {
  const text = textIn(message['content']);
  return text === undefined || text === placeholder ? [] : [{ type: 'text', text }];
}

function answerBlocks(id: string, message: PlainObject): MessageBlock[] {
  const provider = providerOf(message);
  const calls = listIn(message['tools']).filter(isPlainObject);
  const { citations } = objectOf(message['search']);
  const task = message['taskDetail'];
  return [
    ...thoughtOf(message, provider),
    ...spokenText(message),
    ...filesOf(message),
    ...calls.map((call, index) => callOf(call, `${id}/call-${index}`)),
    ...pagesBlock(listIn(citations).filter(isPlainObject)),
    ...errorOf(message['error']),
    ...(isPlainObject(task) ? [rawBlock('lobe-task', task)] : []),
  ];
}

function thoughtOf(message: PlainObject, provider: string): MessageBlock[] {
  const { content, signature } = objectOf(message['reasoning']);
  const [text, signed] = [textIn(content) ?? '', textIn(signature)];
  if (text === '' && signed === undefined) return [];
  return [
    { type: 'thinking', text, ...(signed === undefined ? {} : { provider: { [provider]: { signature: signed } } }) },
  ];
}

function callOf(call: PlainObject, otherwise: string): Extract<MessageBlock, { type: 'tool-use' }> {
  const parameters = parametersOf(call['arguments'], 'input');
  return { type: 'tool-use', id: textIn(call['id']) ?? otherwise, name: toolName(call), parameters };
}

/** The name under which LobeChat offers a function of a plugin to models. */
function toolName({ identifier, apiName, name }: PlainObject): string {
  const parts = [textIn(identifier), textIn(apiName) ?? textIn(name)].filter((part) => part !== undefined);
  return parts.length === 0 ? 'tool' : parts.join('____');
}

function resultPieces(id: string, message: PlainObject, above: PlainObject | undefined): ChatPiece[] {
  const plugin = objectOf(message['plugin']);
  const call = textIn(message['tool_call_id']) ?? `${id}/call`;
  const asked = listIn(above?.['tools']).filter(isPlainObject);
  const isAsked = above?.['role'] === 'tool' || asked.some((each) => each['id'] === call);
  const name = toolName(asked.find((each) => each['id'] === call) ?? plugin);
  const [error, state] = [message['pluginError'], message['pluginState']];
  const text = textIn(message['content']) ?? textIn(error) ?? textIn(objectOf(error)['message']) ?? '';
  const report = isPlainObject(state) && rawBlock('lobe', state);
  const shown: MessageBlock = { type: 'text', text };
  const made: ChatPiece = {
    id: `${id}/asked`,
    role: 'assistant',
    source: modelOf(message),
    blocks: keyed(`${id}/asked`, [callOf({ ...plugin, id: call }, call)]),
  };
  const result: ChatPiece = {
    id,
    role: 'tool',
    source: { type: 'tool_result', tool_name: name },
    tool_call_id: call,
    ...outcomeOf(message),
    blocks: keyed(id, [shown, ...(report === false ? [] : [report])]),
  };
  return isAsked ? [result] : [made, result];
}

function outcomeOf(message: PlainObject): Pick<ForeignNode, 'tool' | 'is_error'> {
  const intervention = objectOf(message['pluginIntervention']);
  if (intervention['status'] === 'rejected') return { tool: 'denied', is_error: true };
  if (intervention['status'] === 'aborted') return { tool: 'interrupted', is_error: true };
  const isError = message['pluginError'] !== undefined && message['pluginError'] !== null;
  return isError ? { tool: 'error', is_error: true } : { tool: 'result' };
}

function errorOf(value: unknown): MessageBlock[] {
  if (!isPlainObject(value)) return [];
  const code = textIn(value['type']) ?? 'lobe';
  return [{ type: 'error', code, message: textIn(value['message']) ?? JSON.stringify(value['body'] ?? value) }];
}

function filesOf(message: PlainObject): MessageBlock[] {
  const images = listIn(message['imageList']).map((image): MessageBlock => {
    const url = textIn(objectOf(image)['url']) ?? '';
    const media = /^data:([^;,]+\/[^;,]+)/u.exec(url)?.[1];
    if (media === undefined && !/^https?:/u.test(url)) return rawBlock('lobe-file', image);
    return { type: 'image', media_type: media ?? 'image/png', url };
  });
  const others = ['fileList', 'videoList', 'files', 'chunksList'].flatMap((name) => listIn(message[name]));
  return [...images, ...others.map((file) => rawBlock('lobe-file', file))];
}

function detailsOf(message: PlainObject): Pick<ForeignNode, 'details'> {
  const { translate } = objectOf(message['extra']);
  const agent = textIn(message['agentId']);
  const details = { ...(isPlainObject(translate) ? { translate } : {}), ...(agent === undefined ? {} : { agent }) };
  return Object.keys(details).length === 0 ? {} : { details };
}

function providerOf(message: PlainObject): string {
  return textIn(message['provider']) ?? textIn(objectOf(message['extra'])['fromProvider']) ?? 'lobe';
}

function modelOf(message: PlainObject): ChatPiece['source'] {
  const metadata = objectOf(message['metadata']);
  const raw = objectOf(message['usage'] ?? metadata['usage'] ?? metadata);
  const [input, output] = [numberAt(raw, 'totalInputTokens'), numberAt(raw, 'totalOutputTokens')];
  const [read, written] = [numberAt(raw, 'inputCachedTokens'), numberAt(raw, 'inputWriteCacheTokens')];
  const cost = numberAt(raw, 'cost');
  const usage = {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    ...(read === undefined ? {} : { cached_input_tokens: read }),
    ...(written === undefined ? {} : { cache_write_tokens: written }),
    ...(cost === undefined ? {} : { cost_usd: cost }),
    raw,
  };
  return {
    type: 'model',
    provider: providerOf(message),
    model_name: textIn(message['model']) ?? textIn(objectOf(message['extra'])['fromModel']) ?? '',
    parameters: {},
    ...(input === undefined && output === undefined ? {} : { usage }),
  };
}
