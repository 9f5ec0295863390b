import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { listAt, numberAt, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import type { Usage } from '@loom/kernel';
import { readSentBlock } from '../claude-code/content.ts';
import { copilot } from './copilot.ts';
import {
  begin,
  callBlock,
  named,
  rawBlock,
  spotOf,
  textBlocks,
  textOf,
  thinkingBlocks,
  typeOf,
  wordsOf,
} from './dialect.ts';
import type { Dialect } from './dialect.ts';
import type { PlainThread, Spot } from './plain-thread.ts';
import { qwen } from './qwen.ts';

/** Droid of Factory: a line that begins the session, then messages with the content of the Messages API. */
const droid: Dialect = {
  source: 'droid',
  name: 'Droid',
  recognizes: ([first]) => first?.type === 'session_start' && textAt(first, 'id') !== undefined,
  read(line, thread, at) {
    if (line.type === 'session_start') {
      const [title, directory] = [textAt(line, 'sessionTitle', 'title'), textAt(line, 'cwd')];
      thread.describe({ id: textAt(line, 'id') ?? at.file, ...named({ title, directory }) });
      return undefined;
    }
    if (line.type !== 'message') return typeOf(line);
    const message = objectAt(line, 'message');
    return readContent(message, spotOf(line, at, 'id'), thread, textAt(message, 'model'));
  },
};

/** Cursor's agent: messages with the content of the Messages API, and neither ids nor times. */
const cursor: Dialect = {
  source: 'cursor',
  name: 'Cursor',
  recognizes: ([first, ...rest]) =>
    first !== undefined && isCursorMessage(first) && rest.every((line) => isCursorMessage(line) || isCursorMark(line)),
  read(line, thread, at) {
    begin(thread, at);
    if (!isRole(line.role)) return typeOf(line);
    const message = { ...objectAt(line, 'message'), role: line.role };
    return readContent(message, spotOf(line, at), thread, textAt(line, 'model'), asked);
  },
};

/** Returns the user's request, which Cursor puts into an element. If there is text around it, such as open files, all of it is kept. */
function asked(text: string): string {
  return /^\s*<user_query>\n?([^]*?)\n?<\/user_query>\s*$/u.exec(text)?.[1] ?? text;
}

function isCursorMessage(line: PlainObject): boolean {
  return isRole(line.role) && hasContent(line);
}

/** Lines between messages, such as the end of a turn. Those of other programs have more fields than a type. */
function isCursorMark(line: PlainObject): boolean {
  const isOther = ['uuid', 'sessionId', 'payload', 'data', 'id', 'message'].some((field) => field in line);
  return textAt(line, 'type') !== undefined && !isOther;
}

/** Kimi CLI: a log of the additions to the context. */
const kimi: Dialect = {
  source: 'kimi',
  name: 'Kimi CLI',
  recognizes: ([first]) => first?.type === 'metadata' && textAt(first, 'protocol_version') !== undefined,
  read(line, thread, at) {
    begin(thread, at);
    const spot = { key: `${at.file}#${at.line}`, time: timeOf(line.time) };
    if (line.type === 'context.append_message') {
      const message = objectAt(line, 'message');
      if (message?.role !== 'user') return `message/${textAt(message, 'role') ?? ''}`;
      const isPerson = textAt(objectAt(message, 'origin'), 'kind') === 'user';
      thread.said(spot, sentBlocks(message), isPerson ? undefined : { synthetic: true });
      return undefined;
    }
    if (line.type !== 'context.append_loop_event') return undefined;
    const event = objectAt(line, 'event') ?? {};
    switch (event.type) {
      case 'step.begin':
        thread.endAnswer();
        return undefined;
      case 'content.part': {
        const part = objectAt(event, 'part') ?? {};
        const blocks = part.type === 'think' ? thinkingBlocks(textAt(part, 'think')) : textBlocks(textAt(part, 'text'));
        thread.answered(spot, blocks.length === 0 ? [rawBlock('kimi', part)] : blocks, { provider: 'kimi' });
        return blocks.length === 0 ? `part/${textAt(part, 'type') ?? ''}` : undefined;
      }
      case 'tool.call':
        thread.answered(spot, [callBlock(textAt(event, 'toolCallId') ?? spot.key, textAt(event, 'name'), event.args)]);
        return undefined;
      case 'tool.result': {
        const result = objectAt(event, 'result');
        const isError = result?.isError === true || result?.is_error === true;
        thread.result(spot, { call: textAt(event, 'toolCallId'), blocks: textOf(wordsOf(result)), isError });
        return undefined;
      }
      case 'step.end': {
        const usage = objectAt(event, 'usage');
        if (usage !== undefined) thread.finishAnswer({ usage: kimiUsage(usage) });
        return undefined;
      }
      default:
        return `event/${textAt(event, 'type') ?? ''}`;
    }
  },
};

function kimiUsage(raw: PlainObject): Usage {
  const [read, written] = [numberAt(raw, 'inputCacheRead') ?? 0, numberAt(raw, 'inputCacheCreation') ?? 0];
  return {
    input_tokens: (numberAt(raw, 'inputOther') ?? 0) + read + written,
    output_tokens: numberAt(raw, 'output') ?? 0,
    cached_input_tokens: read,
    cache_write_tokens: written,
    raw,
  };
}

/** Antigravity CLI: numbered steps. Results do not name their calls: each belongs to the first open one. */
const antigravity: Dialect = {
  source: 'antigravity',
  name: 'Antigravity CLI',
  recognizes: ([first]) => numberAt(first, 'step_index') !== undefined && textAt(first, 'source', 'type') !== undefined,
  read(line, thread, at) {
    begin(thread, at);
    const spot = spotOf(line, at);
    const [type, content] = [typeOf(line), textAt(line, 'content')];
    if (type === 'USER_INPUT') {
      const asked = /<USER_REQUEST>\n?([^]*?)\n?<\/USER_REQUEST>/u.exec(content ?? '')?.[1];
      thread.said(spot, textBlocks(asked ?? content));
      return undefined;
    }
    if (type === 'PLANNER_RESPONSE') {
      const calls = listAt(line, 'tool_calls').filter(isPlainObject);
      thread.endAnswer();
      thread.answered(
        spot,
        [
          ...thinkingBlocks(textAt(line, 'thinking')),
          ...textBlocks(content),
          ...calls.map((call, index) => callBlock(`${spot.key}/${index}`, textAt(call, 'name'), call.args)),
        ],
        { provider: 'google' },
      );
      return undefined;
    }
    if (line.source === 'SYSTEM') {
      thread.said(spot, textBlocks(content), { synthetic: true });
      return undefined;
    }
    const call = thread.openCall ?? `${spot.key}/call`;
    // Not every step names the call that led to it.
    if (thread.openCall === undefined)
      thread.answered({ ...spot, key: call }, [callBlock(call, type.toLowerCase(), {})]);
    thread.result(spot, { call, blocks: textOf(content ?? ''), isError: line.status === 'ERROR' });
    return undefined;
  },
};

/** Every dialect; the most certain ones come first. */
export const dialects: readonly Dialect[] = [droid, copilot, kimi, antigravity, qwen, cursor];

/** Reads a message with the content of the Messages API, in the spellings of programs that follow it. */
function readContent(
  message: PlainObject | undefined,
  spot: Spot,
  thread: PlainThread,
  model: string | undefined,
  asked: (text: string) => string = (text) => text,
): string | undefined {
  let unknown: string | undefined;
  const blocks: MessageBlock[] = [];
  const content = message?.content;
  for (const [index, part] of (typeof content === 'string' ? [content] : listAt(message, 'content')).entries()) {
    const type = textAt(part, 'type') ?? '';
    const key = `${spot.key}/${index}`;
    if (/^tool[_-]result$/u.test(type) && isPlainObject(part)) {
      const call = textAt(part, 'tool_use_id', 'toolCallId') ?? thread.openCall;
      const text = wordsOf(part.content);
      thread.result(
        { ...spot, key },
        { call, name: textAt(part, 'name'), blocks: textOf(text), isError: part.is_error === true },
      );
    } else if (/^tool[_-](?:use|call)$/u.test(type) && isPlainObject(part))
      blocks.push(callBlock(textAt(part, 'id', 'toolCallId') ?? key, textAt(part, 'name'), part.input ?? part.args));
    else if (type === 'thinking') blocks.push(...thinkingBlocks(textAt(part, 'thinking', 'text')));
    else {
      const given = readSentBlock(part);
      const isAsked = given?.type === 'text' && message?.role === 'user';
      const sent = isAsked ? { ...given, text: asked(given.text) } : given;
      if (sent === undefined) unknown ??= `block ${type}`;
      // The content of an unknown kind of block is kept as text, if it has text in the field that other kinds use.
      const words = textBlocks(textAt(part, 'text'));
      blocks.push(...(sent === undefined ? (words.length === 0 ? [rawBlock('message', part)] : words) : [sent]));
    }
  }
  if (message?.role === 'assistant') {
    thread.endAnswer();
    thread.answered(spot, blocks, model === undefined ? {} : { model_name: model });
  } else thread.said(spot, blocks);
  return unknown;
}

function sentBlocks(message: PlainObject): MessageBlock[] {
  return listAt(message, 'content').map((part) => readSentBlock(part) ?? rawBlock('message', part));
}

function isRole(role: unknown): boolean {
  return role === 'user' || role === 'assistant';
}

function hasContent(line: PlainObject): boolean {
  return line.type === undefined && Array.isArray(objectAt(line, 'message')?.content);
}
