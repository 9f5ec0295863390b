import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Answer, Said } from '../scenarios.ts';
import { hasCalls, pieces, usageOf } from './core.ts';
import type { Asked, EmulatedWire, Received } from './core.ts';
import { refuseChat, refuseTemplated } from './openai-chat-rules.ts';
import { errorOf, openaiKind, responsesWire } from './openai-responses.ts';
import { listOf } from './openai-rules.ts';

/** OpenAI's chat completions, as a client sees them. */
export const chatWire: EmulatedWire = {
  abilities: ['drawing', 'searching', 'unknown events'],
  conversationField: 'messages',
  contentType: 'text/event-stream; charset=utf-8',
  refuse: refuseChat,
  read: readRequest,
  write: (answer, request) => writeChunks(answer, request),
  failureBody: (failure) => JSON.stringify({ error: errorOf(failure) }),
  failureEvent: (failure) => data({ error: errorOf(failure) }),
  kindOf: openaiKind,
};

/** A server in the same shape, with the template of a model behind it. */
export const compatibleWire: EmulatedWire = {
  ...chatWire,
  refuse: refuseTemplated,
};

function data(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
}

function readRequest({ json }: Received): Asked {
  const messages = isPlainObject(json) ? listOf(json.messages) : [];
  const last = messages.findLastIndex((message) => message.role === 'user' && textsOf(message).length > 0);
  const rounds = messages.slice(last + 1).filter(({ role }, index, rest) => {
    return role === 'tool' && rest[index + 1]?.role !== 'tool';
  });
  const files = messages.flatMap(({ content }) => listOf(content)).filter(({ type }) => type !== 'text');
  return { said: textsOf(messages[last]).at(-1) ?? '', rounds: rounds.length, files: files.length };
}

function textsOf(message: PlainObject | undefined): string[] {
  if (typeof message?.content === 'string') return [message.content];
  return listOf(message?.content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

function* writeChunks(answer: Answer, { json }: Received): Generator<string, void, void> {
  const { model, messages } = isPlainObject(json) ? json : {};
  const base = { id: `chatcmpl-${listOf(messages).length}`, object: 'chat.completion.chunk', created: 1, model };
  const chunk = (delta: PlainObject, finish_reason: string | null = null): string =>
    data({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });
  yield chunk({ role: 'assistant', content: '', refusal: null });
  let index = 0;
  for (const said of answer.said) {
    if ('unknown' in said) yield data({ type: said.unknown, payload: { of: 'the future' } });
    else for (const delta of deltasOf(said, index, answer.end === 'refusal')) yield chunk(delta);
    if ('call' in said) index += 1;
  }
  yield chunk({}, finishReason(answer));
  const { input, output, cached, reasoning } = usageOf(answer);
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
  yield data({ ...base, choices: [], usage });
  yield data('[DONE]');
}

function finishReason({ said, end }: Answer): string {
  if (end === 'length') return 'length';
  if (end === 'refusal') return 'stop';
  return hasCalls(said) ? 'tool_calls' : 'stop';
}

function deltasOf(said: Exclude<Said, { unknown: string }>, index: number, isRefusal: boolean): PlainObject[] {
  if ('say' in said) return pieces(said.say).map((text) => (isRefusal ? { refusal: text } : { content: text }));
  // OpenAI's own models hide their thoughts here; those of other servers do not.
  if ('think' in said) return pieces(said.think).map((text) => ({ reasoning_content: text }));
  if ('call' in said) {
    const first = { index, id: said.id, type: 'function', function: { name: said.call, arguments: '' } };
    const more = pieces(said.arguments).map((text) => ({ index, function: { arguments: text } }));
    return [first, ...more].map((call) => ({ tool_calls: [call] }));
  }
  if ('cite' in said) return [...pieces(said.cite).map((text) => ({ content: text })), annotations([said])];
  // Searches are not visible; the found pages come as annotations.
  if ('search' in said) return [annotations(said.found)];
  return [{ images: [{ type: 'image_url', image_url: { url: `data:${said.mediaType};base64,${said.draw}` } }] }];
}

function annotations(pages: readonly { url: string; title: string }[]): PlainObject {
  return {
    annotations: pages.map(({ url, title }) => ({
      type: 'url_citation',
      url_citation: { start_index: 0, end_index: 1, url, title },
    })),
  };
}

/** Both of OpenAI's APIs at one address. */
export const openaiWire: EmulatedWire = {
  ...responsesWire,
  abilities: chatWire.abilities,
  refuse: (request) => wireOf(request).refuse(request),
  read: (request) => wireOf(request).read(request),
  write: (answer, request) => wireOf(request).write(answer, request),
};

function wireOf({ path }: Received): EmulatedWire {
  return path.endsWith('/responses') ? responsesWire : chatWire;
}
