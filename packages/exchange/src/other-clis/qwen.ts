import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject, ToolBlock } from '@loom/blocks';
import type { Usage } from '@loom/kernel';
import { listAt, numberAt, objectAt, textAt } from '../foreign/fields.ts';
import { callBlock, named, rawBlock, spotOf, textBlocks, textOf, thinkingBlocks, typeOf } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import type { PlainThread, Spot } from './plain-thread.ts';

/** Qwen Code: lines that name their parent, as in Claude Code, around messages of Gemini. A session that was rewound continues at an earlier line. */
export const qwen: Dialect = {
  source: 'qwen-code',
  name: 'Qwen Code',
  recognizes: (objects) => objects.some((line) => hasParts(line) && textAt(line, 'sessionId') !== undefined),
  read(line, thread, at) {
    const [session, directory] = [textAt(line, 'sessionId'), textAt(line, 'cwd')];
    const place = spotOf(line, at, 'uuid');
    if (!thread.isBegun) thread.describe({ id: session ?? at.file, ...named({ directory, created: place.time }) });
    // A long message may be written in several lines of one name.
    const isPiece = thread.hasLine(place.key);
    const above = line.parentUuid;
    if (!isPiece && (above === null || (typeof above === 'string' && !above.startsWith('[')))) thread.goBelow(above);
    const spot = isPiece ? { ...place, key: `${place.key}/${at.line}` } : place;
    const unknown = readLine(line, spot, thread);
    thread.noteLine(place.key);
    return unknown;
  },
};

function readLine(line: PlainObject, spot: Spot, thread: PlainThread): string | undefined {
  if (line.type === 'system') return readNote(line, spot, thread);
  if (!hasParts(line)) return typeOf(line);
  const blocks: MessageBlock[] = [];
  for (const [index, part] of partsOf(line).entries()) {
    const [call, result] = [objectAt(part, 'functionCall'), objectAt(part, 'functionResponse')];
    if (result !== undefined) readResult(line, result, { ...spot, key: `${spot.key}/result-${index}` }, thread);
    else if (call !== undefined)
      blocks.push(callBlock(textAt(call, 'id') ?? `${spot.key}/${index}`, textAt(call, 'name'), call.args));
    else if (part.thought === true) blocks.push(...thinkingBlocks(textAt(part, 'text')));
    else if (typeof part.text === 'string') blocks.push(...textBlocks(part.text));
    else blocks.push(mediaOf(part));
  }
  if (line.type === 'user') {
    const isPerson = line.subtype === undefined || peoples.has(line.subtype);
    const isOther = !isPerson || (line.provenance !== undefined && line.provenance !== 'real_user');
    thread.said(spot, blocks, isOther ? { synthetic: true } : undefined);
  } else if (line.type === 'assistant') {
    const raw = objectAt(line, 'usageMetadata');
    const usage = numberAt(raw, 'promptTokenCount') === undefined ? {} : { usage: usageOf(raw ?? {}) };
    thread.endAnswer();
    thread.answered(spot, blocks, { provider: 'qwen', model_name: textAt(line, 'model') ?? '', ...usage });
  }
  return undefined;
}

/** The kinds of user text; other kinds are notices and tasks of the program. */
const peoples: ReadonlySet<unknown> = new Set(['mid_turn_user_message', 'realtime_message', 'user_text_elements']);

/** Reads titles and summaries; the rest is for the program only. */
function readNote(line: PlainObject, spot: Spot, thread: PlainThread): string | undefined {
  const payload = objectAt(line, 'systemPayload');
  if (line.subtype === 'custom_title') thread.describe(named({ title: textAt(payload, 'customTitle') }));
  if (line.subtype !== 'chat_compression') return undefined;
  const [summary, ...rest] = listAt(payload, 'compressedHistory');
  const words = partsOf({ message: summary }).flatMap((part) => textBlocks(textAt(part, 'text')));
  if (words.length === 0) return undefined;
  thread.startContext();
  thread.said(spot, rest.length === 0 ? words : [...words, rawBlock('qwen-code', rest)], { synthetic: true });
  return undefined;
}

function readResult(line: PlainObject, result: PlainObject, spot: Spot, thread: PlainThread): void {
  const [response, outcome] = [objectAt(result, 'response'), objectAt(line, 'toolCallResult')];
  const [error, status] = [textAt(response, 'error'), textAt(outcome, 'status')];
  const text = textAt(response, 'output') ?? error ?? JSON.stringify(response ?? {});
  const others = listAt(result, 'parts').map((value): ToolBlock => ({ type: 'raw', source: 'qwen-code', value }));
  const isError = error !== undefined || status === 'error' || status === 'cancelled';
  thread.result(spot, {
    call: textAt(result, 'id'),
    name: textAt(result, 'name'),
    blocks: [...textOf(text), ...others],
    isError,
  });
}

function mediaOf(part: PlainObject): MessageBlock {
  const inline = objectAt(part, 'inlineData');
  const [media, data] = [textAt(inline, 'mimeType'), textAt(inline, 'data')];
  if (media === undefined || data === undefined || !/^image\/[\w.+-]+$/u.test(media))
    return rawBlock('qwen-code', part);
  return { type: 'image', media_type: media, url: `data:${media};base64,${data}` };
}

/** Some models count thoughts apart from the rest of the answer, others do not; the total has them once. */
function usageOf(raw: PlainObject): Usage {
  const input = numberAt(raw, 'promptTokenCount') ?? 0;
  const said = (numberAt(raw, 'candidatesTokenCount') ?? 0) + (numberAt(raw, 'thoughtsTokenCount') ?? 0);
  const total = numberAt(raw, 'totalTokenCount');
  const cached = numberAt(raw, 'cachedContentTokenCount');
  return {
    input_tokens: input,
    output_tokens: total === undefined ? said : Math.max(0, total - input),
    ...(cached === undefined ? {} : { cached_input_tokens: cached }),
    raw,
  };
}

function partsOf(line: PlainObject): PlainObject[] {
  return listAt(objectAt(line, 'message'), 'parts').filter(isPlainObject);
}

function hasParts(line: PlainObject): boolean {
  return Array.isArray(objectAt(line, 'message')?.parts);
}
