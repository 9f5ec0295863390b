import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Answer, Said } from '../scenarios.ts';
import { refuseMessages } from './anthropic-rules.ts';
import { hasCalls, pieces, usageOf } from './core.ts';
import type { Asked, EmulatedWire, Received, Refusal } from './core.ts';

/** Anthropic's Messages API, as a client sees it. */
export const anthropicWire: EmulatedWire = {
  contentType: 'text/event-stream; charset=utf-8',
  abilities: ['searching', 'unknown events', 'sealed thinking'],
  conversationField: 'messages',
  withoutMarks: (json) => json.replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
  refuse: refuseMessages,
  read: readRequest,
  write: (answer, request) => writeEvents(answer, request),
  failureBody: (failure) => JSON.stringify(errorOf(failure)),
  failureEvent: (failure) => event(errorOf(failure)),
  kindOf: (status) => kinds[status] ?? 'api_error',
};

// https://docs.anthropic.com/en/api/errors
const kinds: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function errorOf({ kind, message }: Refusal): { type: 'error'; error: { type: string; message: string } } {
  return { type: 'error', error: { type: kind, message } };
}

function event(value: { type: string } & PlainObject): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

function readRequest({ json }: Received): Asked {
  const messages = isPlainObject(json) && Array.isArray(json.messages) ? json.messages.filter(isPlainObject) : [];
  const contents = messages.map(({ role, content }) => ({
    role,
    content: Array.isArray(content) ? content.filter(isPlainObject) : [],
  }));
  const texts = (content: readonly PlainObject[]): string[] =>
    content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const last = contents.findLastIndex(({ role, content }) => role === 'user' && texts(content).length > 0);
  const rounds = contents.slice(last + 1).filter(({ content }) => content.some(({ type }) => type === 'tool_result'));
  const files = contents.flatMap(({ content }) =>
    content.filter(({ type }) => type === 'image' || type === 'document'),
  );
  return { said: texts(contents[last]?.content ?? []).at(-1) ?? '', rounds: rounds.length, files: files.length };
}

function* writeEvents(answer: Answer, { json }: Received): Generator<string, void, void> {
  const { input, output, cached, written, reasoning } = usageOf(answer);
  const model = isPlainObject(json) ? json.model : '';
  const usage = { input_tokens: input, cache_read_input_tokens: cached, cache_creation_input_tokens: written };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    ...diagnosticsOf(json),
  };
  yield event({ type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } });
  yield event({ type: 'ping' });
  let index = 0;
  for (const said of answer.said) {
    for (const block of blocksOf(said)) {
      if ('event' in block) {
        yield block.event;
        continue;
      }
      yield event({ type: 'content_block_start', index, content_block: block.start });
      for (const delta of block.deltas) yield event({ type: 'content_block_delta', index, delta });
      yield event({ type: 'content_block_stop', index });
      index += 1;
    }
  }
  const details = reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {};
  const end = { delta: { stop_reason: stopReason(answer) }, usage: { ...usage, output_tokens: output, ...details } };
  yield event({ type: 'message_delta', ...end });
  yield event({ type: 'message_stop' });
}

/** https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics: the emulator knows only the request of its own answer. */
function diagnosticsOf(json: unknown): PlainObject {
  const asked = isPlainObject(json) ? json.diagnostics : undefined;
  if (!isPlainObject(asked)) return {};
  const { previous_message_id: id } = asked;
  if (id === null || id === 'msg_1') return { diagnostics: null };
  return { diagnostics: { cache_miss_reason: { type: 'previous_message_not_found' } } };
}

function stopReason({ said, end }: Answer): string {
  if (end === 'length') return 'max_tokens';
  if (end === 'refusal') return 'refusal';
  if (end === 'pause') return 'pause_turn';
  return hasCalls(said) ? 'tool_use' : 'end_turn';
}

type Written = { start: PlainObject; deltas: PlainObject[] } | { event: string };

function blocksOf(said: Said): Written[] {
  if ('say' in said) return [textBlock(said.say)];
  if ('think' in said) return [said.sealed === true ? sealed(said.think) : thinkingBlock(said.think)];
  if ('call' in said) {
    const start = { type: 'tool_use', id: said.id, name: said.call, input: {} };
    return [
      { start, deltas: pieces(said.arguments).map((json) => ({ type: 'input_json_delta', partial_json: json })) },
    ];
  }
  if ('search' in said) return search(said);
  if ('cite' in said) {
    const { cite, url, title } = said;
    const citation = { type: 'web_search_result_location', url, title, cited_text: cite, encrypted_index: 'aW5kZXg=' };
    const { start, deltas } = textBlock(cite);
    return [{ start: { ...start, citations: [] }, deltas: [...deltas, { type: 'citations_delta', citation }] }];
  }
  if ('unknown' in said) return [{ event: event({ type: said.unknown, payload: { of: 'the future' } }) }];
  throw new Error('Claude draws no pictures');
}

function textBlock(text: string): { start: PlainObject; deltas: PlainObject[] } {
  return {
    start: { type: 'text', text: '' },
    deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
  };
}

/** Returns the signature of a thought, which the emulator recognizes later. */
export function signatureOf(thought: string): string {
  return Buffer.from(`signed:${thought}`).toString('base64');
}

function thinkingBlock(thought: string): Written {
  const deltas = pieces(thought).map((piece): PlainObject => ({ type: 'thinking_delta', thinking: piece }));
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...deltas, { type: 'signature_delta', signature: signatureOf(thought) }],
  };
}

function sealed(thought: string): Written {
  return { start: { type: 'redacted_thinking', data: signatureOf(thought) }, deltas: [] };
}

function search({ search: query, id, found }: Extract<Said, { search: string }>): Written[] {
  const content = found.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: Buffer.from(url).toString('base64'),
    page_age: null,
  }));
  const input = JSON.stringify({ query });
  return [
    {
      start: { type: 'server_tool_use', id, name: 'web_search', input: {} },
      deltas: pieces(input).map((json) => ({ type: 'input_json_delta', partial_json: json })),
    },
    { start: { type: 'web_search_tool_result', tool_use_id: id, content }, deltas: [] },
  ];
}
