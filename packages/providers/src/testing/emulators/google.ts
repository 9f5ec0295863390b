import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Answer, Said } from '../scenarios.ts';
import { pieces, usageOf } from './core.ts';
import type { Asked, EmulatedWire, Received, Refusal } from './core.ts';
import { listOf } from './google-fields.ts';
import { refuseGoogle, signFor } from './google-rules.ts';

/** Google's Gemini API, as a client sees it. */
export const googleWire: EmulatedWire = {
  contentType: 'text/event-stream',
  abilities: ['drawing', 'searching', 'unknown events'],
  conversationField: 'contents',
  refuse: refuseGoogle,
  read: readRequest,
  write: writeChunks,
  failureBody: (failure) => JSON.stringify(errorOf(failure)),
  failureEvent: (failure) => event(JSON.stringify(errorOf(failure))),
  kindOf: (status) => kinds[status] ?? 'UNKNOWN',
};

// https://ai.google.dev/gemini-api/docs/troubleshooting
const kinds: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function errorOf({ status, kind, message }: Refusal): PlainObject {
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' };
  const details = message.startsWith('API key not valid') ? { details: [reason] } : {};
  return { error: { code: status, message, status: kind, ...details } };
}

function event(json: string): string {
  return `data: ${json}\r\n\r\n`;
}

function readRequest({ json }: Received): Asked {
  const contents = isPlainObject(json) ? listOf(json.contents) : [];
  const texts = ({ role, parts }: PlainObject): string[] =>
    role === 'user' ? listOf(parts).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])) : [];
  const last = contents.findLastIndex((content) => texts(content).length > 0);
  const rounds = contents.slice(last + 1).filter(({ role }) => role === 'user');
  const files = contents.flatMap(({ parts }) => listOf(parts).filter(({ inlineData }) => inlineData !== undefined));
  return { said: texts(contents[last] ?? {}).at(-1) ?? '', rounds: rounds.length, files: files.length };
}

/** A chunk before it is written: parts as JSON, since the scenario spells the arguments. */
interface Chunk {
  parts: string[];
  more?: PlainObject;
}

function* writeChunks(answer: Answer, { path }: Received): Generator<string, void, void> {
  const model = /models\/([^/:]+)/.exec(path)?.[1] ?? '';
  const { input, output, cached, reasoning } = usageOf(answer);
  const usage = {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  };
  const writer = new ChunkWriter(model);
  const chunks = [...answer.said.flatMap((said) => writer.write(said)), ...writer.end()];
  const last: Chunk = { parts: ['{"text":""}'], more: { finishReason: finishReason(answer), ...writer.grounding } };
  for (const { parts, more = {} } of [...chunks, last]) {
    const content = `"content":{"parts":[${parts.join(',')}],"role":"model"}`;
    const rest = JSON.stringify({ ...more, index: 0 }).slice(1, -1);
    const tail = JSON.stringify({ usageMetadata: usage, modelVersion: model, responseId: 'response-1' }).slice(1);
    yield event(`{"candidates":[{${content},${rest}}],${tail}`);
  }
}

function finishReason({ end }: Answer): string {
  if (end === 'length') return 'MAX_TOKENS';
  return end === 'refusal' ? 'SAFETY' : 'STOP';
}

/** Writes the parts of an answer. A thought is signed on the part that follows it; on Gemini 3 the first call of an answer always is. */
class ChunkWriter {
  readonly #model: string;
  readonly #pages: { url: string; title: string }[] = [];
  #signatures = 0;
  #isSignatureDue = false;
  #hasCalled = false;

  constructor(model: string) {
    this.#model = model;
  }

  get grounding(): PlainObject {
    if (this.#pages.length === 0) return {};
    return {
      groundingMetadata: { groundingChunks: this.#pages.map(({ url, title }) => ({ web: { uri: url, title } })) },
    };
  }

  write(said: Said): Chunk[] {
    if ('say' in said) return this.#text(said.say);
    if ('think' in said) return this.#think(said);
    if ('call' in said) return [this.#call(said)];
    if ('search' in said) return this.#search(said);
    if ('cite' in said) {
      this.#pages.push(said);
      return this.#text(said.cite);
    }
    if ('draw' in said) {
      const inlineData = { mimeType: said.mediaType, data: said.draw };
      return [{ parts: [JSON.stringify({ inlineData, ...this.#signature(this.#isSignatureDue) })] }];
    }
    return [{ parts: [JSON.stringify({ [said.unknown]: { of: 'the future' } })] }];
  }

  /** Sends a signature that no part has taken alone. */
  end(): Chunk[] {
    return this.#isSignatureDue ? [{ parts: [JSON.stringify({ text: '', ...this.#signature(true) })] }] : [];
  }

  #text(text: string): Chunk[] {
    const last = { ...this.#signature(this.#isSignatureDue) };
    const cut = pieces(text, 20);
    return cut.map((piece, index) => ({
      parts: [JSON.stringify({ text: piece, ...(index === cut.length - 1 ? last : {}) })],
    }));
  }

  #think({ think, sealed }: Extract<Said, { think: string }>): Chunk[] {
    this.#isSignatureDue = true;
    if (sealed === true) return [];
    return pieces(think, 20).map((piece) => ({ parts: [JSON.stringify({ text: piece, thought: true })] }));
  }

  #call({ call, arguments: args }: Extract<Said, { call: string }>): Chunk {
    const isSigned = this.#isSignatureDue || (!this.#hasCalled && /^gemini-[3-9]/.test(this.#model));
    this.#hasCalled = true;
    const signed = JSON.stringify(this.#signature(isSigned)).slice(1, -1);
    // The wire has objects; any other value can only be sent as a string.
    const json = isObjectJson(args) ? args : JSON.stringify(args);
    const part = `{"functionCall":{"name":${JSON.stringify(call)},"args":${json}}${signed === '' ? '' : `,${signed}`}}`;
    return { parts: [part] };
  }

  /** https://ai.google.dev/gemini-api/docs/tool-combination: Gemini 3 shows the input and output of Google's own tools. */
  #search({ search, id, found }: Extract<Said, { search: string }>): Chunk[] {
    this.#pages.push(...found);
    const toolCall = { toolType: 'GOOGLE_SEARCH_WEB', args: { queries: [search] }, id };
    const toolResponse = { toolType: 'GOOGLE_SEARCH_WEB', response: { search_suggestions: search }, id };
    return [
      { parts: [JSON.stringify({ toolCall, ...this.#signature(true) })] },
      { parts: [JSON.stringify({ toolResponse, ...this.#signature(true) })] },
    ];
  }

  #signature(isSigned: boolean): { thoughtSignature?: string } {
    if (!isSigned) return {};
    this.#isSignatureDue = false;
    this.#signatures += 1;
    return { thoughtSignature: signFor(this.#model, this.#signatures) };
  }
}

function isObjectJson(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
