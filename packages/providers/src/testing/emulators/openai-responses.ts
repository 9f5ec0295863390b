import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Answer, Said } from '../scenarios.ts';
import { hasCalls, pieces, usageOf } from './core.ts';
import type { Asked, EmulatedWire, Received, Refusal } from './core.ts';
import { refuseResponse, sealOf } from './openai-responses-rules.ts';
import { isReasoningModel, listOf } from './openai-rules.ts';

/** OpenAI's Responses API, as a client sees it. */
export const responsesWire: EmulatedWire = {
  abilities: ['drawing', 'searching', 'unknown events', 'sealed thinking'],
  conversationField: 'input',
  contentType: 'text/event-stream; charset=utf-8',
  refuse: refuseResponse,
  read: readRequest,
  write: (answer, request) => writeEvents(answer, request),
  failureBody: (failure) => JSON.stringify({ error: errorOf(failure) }),
  failureEvent: (failure) =>
    event('error', { code: failure.kind, message: failure.message, param: null, sequence_number: 9 }),
  kindOf: openaiKind,
};

/** https://platform.openai.com/docs/guides/error-codes */
export function openaiKind(status: number): string {
  if (status === 429) return 'rate_limit_exceeded';
  if (status === 503 || status === 529) return 'server_is_overloaded';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export function errorOf({ kind, message, status }: Refusal): PlainObject {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { message, type, param: null, code: kind === type ? null : kind };
}

function event(type: string, fields: PlainObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function readRequest({ json }: Received): Asked {
  const input = isPlainObject(json) ? listOf(json.input) : [];
  const texts = (item: PlainObject | undefined): string[] =>
    item?.role === 'user' ? listOf(item.content).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])) : [];
  const last = input.findLastIndex((item) => texts(item).length > 0);
  const rounds = input.slice(last + 1).filter(({ type }, index, rest) => {
    return type === 'function_call_output' && rest[index + 1]?.type !== 'function_call_output';
  });
  const files = input.flatMap(({ content }) => listOf(content)).filter(({ type }) => type !== 'input_text');
  return { said: texts(input[last]).at(-1) ?? '', rounds: rounds.length, files: files.length };
}

function* writeEvents(answer: Answer, { json }: Received): Generator<string, void, void> {
  const model = isPlainObject(json) ? json.model : '';
  const count = isPlainObject(json) ? listOf(json.input).length : 0;
  const response = { id: `resp_${count}`, object: 'response', created_at: 1, model, status: 'in_progress', output: [] };
  yield event('response.created', { response });
  yield event('response.in_progress', { response });
  const items = new ItemWriter(model, count, answer.end === 'refusal');
  for (const said of answer.said) yield* items.write(said);
  const { input, output, cached, written, reasoning } = usageOf(answer);
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, ...(written > 0 ? { cache_write_tokens: written } : {}) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
  const isCut = answer.end === 'length' && !hasCalls(answer.said);
  const end = isCut
    ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    : { status: 'completed', incomplete_details: null };
  yield event(isCut ? 'response.incomplete' : 'response.completed', { response: { ...response, ...end, usage } });
}

/** Writes the items of one answer; their ids depend on the length of the conversation, as real ones are never used twice. */
class ItemWriter {
  readonly #model: unknown;
  readonly #count: number;
  readonly #isRefusal: boolean;
  #index = -1;
  #reasoning: string | undefined;

  constructor(model: unknown, count: number, isRefusal: boolean) {
    this.#model = model;
    this.#count = count;
    this.#isRefusal = isRefusal;
  }

  *write(said: Said): Generator<string, void, void> {
    this.#index += 1;
    if ('say' in said) yield* this.#isRefusal ? this.#refuse(said.say) : this.#say(said.say, []);
    else if ('think' in said) yield* this.#think(said.think, said.sealed === true);
    else if ('call' in said) yield* this.#call(said);
    else if ('search' in said) yield* this.#search(said);
    else if ('cite' in said) {
      const place = { start_index: 0, end_index: said.cite.length };
      yield* this.#say(said.cite, [{ type: 'url_citation', url: said.url, title: said.title, ...place }]);
    } else if ('draw' in said) yield* this.#draw(said);
    else yield event(said.unknown, { payload: { of: 'the future' } });
  }

  #id(prefix: string): string {
    return `${prefix}_${this.#count}_${this.#index}`;
  }

  *#say(text: string, annotations: PlainObject[]): Generator<string, void, void> {
    const item = { id: this.#id('msg'), type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const place = { item_id: item.id, output_index: this.#index, content_index: 0 };
    yield* this.#added(item);
    const part = { type: 'output_text', text, annotations };
    yield event('response.content_part.added', { ...place, part: { ...part, text: '', annotations: [] } });
    for (const delta of pieces(text)) yield event('response.output_text.delta', { ...place, delta });
    for (const [index, annotation] of annotations.entries()) {
      yield event('response.output_text.annotation.added', { ...place, annotation_index: index, annotation });
    }
    yield event('response.output_text.done', { ...place, text });
    yield event('response.content_part.done', { ...place, part });
    yield* this.#done({ ...item, status: 'completed', content: [part] });
  }

  *#refuse(refusal: string): Generator<string, void, void> {
    const item = { id: this.#id('msg'), type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const place = { item_id: item.id, output_index: this.#index, content_index: 0 };
    yield* this.#added(item);
    yield event('response.content_part.added', { ...place, part: { type: 'refusal', refusal: '' } });
    for (const delta of pieces(refusal)) yield event('response.refusal.delta', { ...place, delta });
    yield event('response.refusal.done', { ...place, refusal });
    yield* this.#done({ ...item, status: 'completed', content: [{ type: 'refusal', refusal }] });
  }

  /** Only reasoning models think; others emit nothing. */
  *#think(thought: string, isSealed: boolean): Generator<string, void, void> {
    if (!isReasoningModel(this.#model)) return;
    const id = this.#id('rs');
    this.#reasoning = id;
    yield* this.#added({ id, type: 'reasoning', summary: [] });
    const summary = isSealed ? [] : [{ type: 'summary_text', text: thought }];
    for (const [index, { text }] of summary.entries()) {
      const place = { item_id: id, output_index: this.#index, summary_index: index };
      yield event('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } });
      for (const delta of pieces(text)) yield event('response.reasoning_summary_text.delta', { ...place, delta });
      yield event('response.reasoning_summary_text.done', { ...place, text });
      yield event('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } });
    }
    yield* this.#done({ id, type: 'reasoning', summary, encrypted_content: sealOf(id, this.#model) });
  }

  *#call({
    call: name,
    arguments: given,
    id: call_id,
  }: Extract<Said, { call: string }>): Generator<string, void, void> {
    const item = { id: this.#id('fc'), type: 'function_call', status: 'in_progress', name, call_id, arguments: '' };
    const place = { item_id: item.id, output_index: this.#index };
    yield* this.#added(item);
    for (const delta of pieces(given)) yield event('response.function_call_arguments.delta', { ...place, delta });
    yield event('response.function_call_arguments.done', { ...place, arguments: given });
    yield* this.#done({ ...item, status: 'completed', arguments: given });
  }

  *#search({ search: query, found }: Extract<Said, { search: string }>): Generator<string, void, void> {
    const id = this.#nativeId('ws');
    const sources = found.map(({ url }) => ({ type: 'url', url }));
    yield* this.#added({ id, type: 'web_search_call', status: 'in_progress' });
    for (const state of ['in_progress', 'searching', 'completed']) {
      yield event(`response.web_search_call.${state}`, { item_id: id, output_index: this.#index });
    }
    const action = { type: 'search', query, queries: [query], sources };
    yield* this.#done({ id, type: 'web_search_call', status: 'completed', action });
  }

  *#draw({ draw, mediaType }: Extract<Said, { draw: string }>): Generator<string, void, void> {
    const id = this.#nativeId('ig');
    yield* this.#added({ id, type: 'image_generation_call', status: 'in_progress' });
    yield event('response.image_generation_call.generating', { item_id: id, output_index: this.#index });
    const output_format = mediaType.replace('image/', '');
    yield* this.#done({ id, type: 'image_generation_call', status: 'completed', output_format, result: draw });
  }

  /** A reasoning model's own actions belong to the reasoning before them; the id names it, so that the rules can check. */
  #nativeId(prefix: string): string {
    return this.#id(prefix) + (this.#reasoning === undefined ? '' : `_after_${this.#reasoning}`);
  }

  *#added(item: PlainObject): Generator<string, void, void> {
    yield event('response.output_item.added', { output_index: this.#index, item });
  }

  *#done(item: PlainObject): Generator<string, void, void> {
    yield event('response.output_item.done', { output_index: this.#index, item });
  }
}
