import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { parse } from 'yaml';
import { eventsOf, readJson, wireOf, writeEvents } from './recording.ts';
import type { Recording, RecordedRequest, WireName } from './recording.ts';
import { retell } from './retelling.ts';

/** The recordings, and the files without an answer of a wire that Loom speaks. */
export interface CorpusReading {
  recordings: Recording[];
  others: string[];
}

/** Reads every answer in the corpus `provider-wire` that belongs to a wire that Loom speaks. */
export function readCorpus(directory: string): CorpusReading {
  const others: string[] = [];
  const recordings = globSync('**/*.{json,txt,sse,yaml}', { cwd: directory })
    .sort()
    .flatMap((file) => {
      const found = readFile(file, readFileSync(join(directory, file), 'utf8'));
      if (found.length === 0) others.push(file);
      return found;
    });
  return { recordings, others };
}

/** One answer of a file: a stream, or a value. */
interface Answer {
  status: number;
  content: unknown;
  request?: RecordedRequest;
}

function readFile(file: string, text: string): Recording[] {
  return answersOf(file, text).flatMap((answer, index) => {
    const { status, content, request } = answer;
    const more = { name: `${file}#${index}`, status, ...(request === undefined ? {} : { request }) };
    if (status >= 400) {
      const wire = request === undefined ? undefined : wireOfUrl(request.url);
      return wire === undefined ? [] : [{ ...more, wire, body: bodyText(content), isRetold: false }];
    }
    return typeof content === 'string' ? readStream(content, more) : readWhole(content, more);
  });
}

function answersOf(file: string, text: string): Answer[] {
  if (file.endsWith('.yaml')) return readCassette(parse(text, { maxAliasCount: -1, logLevel: 'silent' }));
  // The last line break was lost when the file was stored.
  if (file.endsWith('.sse')) return [{ status: 200, content: `${text}\n\n` }];
  if (file.endsWith('.txt')) return readLines(text).map((content) => ({ status: 200, content }));
  const [value] = readJson(text);
  if (isPlainObject(value) && Array.isArray(value.interactions)) return value.interactions.flatMap(readOpencode);
  if (Array.isArray(value) && value.every((item) => isPlainObject(item) && 'scope' in item))
    return value.flatMap(readCline);
  if (isPlainObject(value) && isPlainObject(value.response) && Array.isArray(value.messages)) {
    return [{ status: 200, content: value.response }];
  }
  if (isPlainObject(value) && isPlainObject(value.error))
    return [{ status: errorStatus(value.error), content: text, request: errorSource(file) }];
  return [{ status: 200, content: Array.isArray(value) ? value : [value] }];
}

/** One event per line. The answers of several calls may follow each other in one file. */
function readLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && line !== '[DONE]');
  const wire = lines
    .flatMap(readJson)
    .map(wireOf)
    .find((name) => name !== undefined);
  if (wire === undefined) return [];
  const answers: unknown[][] = [];
  for (const event of lines.flatMap(readJson)) {
    const isFirst = isPlainObject(event) && (event.type === 'message_start' || event.type === 'response.created');
    if (isFirst || answers.length === 0) answers.push([]);
    answers.at(-1)?.push(event);
  }
  return answers.map((events) => writeEvents(wire, events));
}

function readCassette(cassette: unknown): Answer[] {
  const interactions = isPlainObject(cassette) && Array.isArray(cassette.interactions) ? cassette.interactions : [];
  return interactions.filter(isPlainObject).flatMap(({ request, response }) => {
    if (!isPlainObject(request) || !isPlainObject(response)) return [];
    const { parsed_body: parsed, body, status } = response;
    const kept = isPlainObject(body) ? body.string : body;
    const raw = kept instanceof Uint8Array ? unpack(kept) : kept;
    const content = parsed === undefined ? raw : [parsed];
    if (typeof content !== 'string' && !Array.isArray(content)) return [];
    const sent = isPlainObject(request.parsed_body) ? request.parsed_body : readJson(textOf(request.body))[0];
    return [{ status: statusOf(status), content, request: { url: String(request.uri), body: sent } }];
  });
}

/** Returns the body as a text, if it is one. */
function unpack(bytes: Uint8Array): string | undefined {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isPacked ? gunzipSync(bytes).toString('utf8') : undefined;
}

function readOpencode(interaction: unknown): Answer[] {
  if (!isPlainObject(interaction) || !isPlainObject(interaction.request) || !isPlainObject(interaction.response))
    return [];
  const { request, response } = interaction;
  const { url, body } = request;
  return [
    {
      status: statusOf(response.status),
      content: response.body,
      request: { url: String(url), body: readJson(String(body))[0] },
    },
  ];
}

function readCline(interaction: unknown): Answer[] {
  if (!isPlainObject(interaction)) return [];
  const { status, response, scope, path, body } = interaction;
  return [{ status: statusOf(status), content: response, request: { url: `${String(scope)}${String(path)}`, body } }];
}

function errorStatus({ code }: PlainObject): number {
  return typeof code === 'number' ? code : 400;
}

/** Errors that were stored without their request are in the folder of their API. */
function errorSource(file: string): RecordedRequest {
  const paths = { google: ':generateContent', chat: '/chat/completions', responses: '/responses' };
  const [, path = ''] = Object.entries(paths).find(([folder]) => file.includes(`/${folder}/`)) ?? [];
  return { url: path, body: undefined };
}

function statusOf(status: unknown): number {
  const code = isPlainObject(status) ? status.code : status;
  return typeof code === 'number' ? code : 200;
}

type Named = Omit<Recording, 'wire' | 'body' | 'isRetold'>;

function readStream(text: string, more: Named): Recording[] {
  const wire = eventsOf(text)
    .map(wireOf)
    .find((name) => name !== undefined);
  if (wire !== undefined && /^data:/m.test(text)) return [{ ...more, wire, body: text, isRetold: false }];
  const whole = readJson(text);
  return whole.length === 0 ? [] : readWhole(whole, more);
}

function readWhole(content: unknown, more: Named): Recording[] {
  const values = (Array.isArray(content) ? content : [content]).filter(isPlainObject).map(unwrap);
  const wire = values.map(wireOf).find((name) => name !== undefined);
  if (wire === undefined) return [];
  return [
    {
      ...more,
      wire,
      body: writeEvents(
        wire,
        values.flatMap((value) => retellKnown(wire, value)),
      ),
      isRetold: true,
    },
  ];
}

/** A log of another program may hold the answer inside its record. */
function unwrap(value: PlainObject): PlainObject {
  return wireOf(value) === undefined && isPlainObject(value.response) ? value.response : value;
}

function retellKnown(wire: WireName, value: PlainObject): unknown[] {
  return wireOf(value) === wire ? retell(wire, value) : [];
}

/** Returns the API of a URL, for recordings that hold only an error. */
function wireOfUrl(url: string): WireName | undefined {
  if (/:(stream)?generateContent/i.test(url)) return 'google';
  if (url.endsWith('/v1/messages')) return 'anthropic';
  if (url.endsWith('/responses')) return 'openai-responses';
  return url.endsWith('/chat/completions') ? 'openai-chat' : undefined;
}

function bodyText(content: unknown): string {
  if (typeof content === 'string') return content;
  return JSON.stringify(Array.isArray(content) ? content[0] : content);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
