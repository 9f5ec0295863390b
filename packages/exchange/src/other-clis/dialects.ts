import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import { listAt, numberAt, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import type { Usage } from '@loom/kernel';
import { readSentBlock } from '../claude-code/content.ts';
import type { ForeignConversation } from '../foreign/foreign.ts';
import { callBlock, rawBlock, textBlocks, thinkingBlocks, wordsOf } from './dialect.ts';
import type { Dialect, LinePlace } from './dialect.ts';
import type { PlainThread, Spot } from './plain-thread.ts';

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
  recognizes: (objects) => objects.length > 0 && objects.every((line) => isRole(line.role) && hasContent(line)),
  read(line, thread, at) {
    begin(thread, at);
    const message = { ...objectAt(line, 'message'), role: line.role };
    return readContent(message, spotOf(line, at), thread, textAt(line, 'model'));
  },
};

/** Copilot CLI: events with their data, of which messages and results of tools are read. */
const copilot: Dialect = {
  source: 'copilot',
  name: 'Copilot CLI',
  recognizes: ([first]) =>
    first?.type === 'session.start' && textAt(objectAt(first, 'data'), 'sessionId') !== undefined,
  read(line, thread, at) {
    const data = objectAt(line, 'data') ?? {};
    const spot = spotOf(line, at, 'id');
    const type = typeOf(line);
    switch (type) {
      case 'session.start': {
        const directory = textAt(objectAt(data, 'context'), 'cwd');
        thread.describe({ id: textAt(data, 'sessionId') ?? at.file, ...named({ directory, created: spot.time }) });
        return undefined;
      }
      case 'user.message':
        thread.said(spot, textBlocks(textAt(data, 'content')));
        return undefined;
      case 'system.notification':
        thread.said(spot, textBlocks(textAt(data, 'content')), { synthetic: true });
        return undefined;
      case 'assistant.message': {
        const calls = listAt(data, 'toolRequests').filter(isPlainObject);
        const blocks = [
          ...thinkingBlocks(textAt(data, 'reasoningText')),
          ...textBlocks(textAt(data, 'content')),
          ...calls.map((call, index) =>
            callBlock(textAt(call, 'toolCallId') ?? `${spot.key}/${index}`, textAt(call, 'name'), call.arguments),
          ),
        ];
        thread.endAnswer();
        thread.answered(spot, blocks, { model_name: textAt(data, 'model') ?? '' });
        return undefined;
      }
      case 'tool.execution_complete': {
        const [call, report] = [textAt(data, 'toolCallId'), objectAt(data, 'result')];
        const text = textAt(report, 'content') ?? wordsOf(data.error);
        thread.result(spot, {
          call,
          name: textAt(data, 'toolName'),
          blocks: textOf(text),
          isError: data.success === false,
        });
        return undefined;
      }
      default:
        return copilotSide.test(type) ? undefined : type;
    }
  },
};

/** What else Copilot notes: nothing of it is shown to models. Thoughts come with their message, a call with its answer. */
const copilotSide =
  /^(?:session|hook|subagent|assistant\.(?:turn_start|turn_end|reasoning|usage)|tool\.execution_start|system\.message|abort)/u;

/** Kimi CLI: a log of what went into the context. */
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

/** Antigravity CLI: numbered steps. Results do not name their calls: each answers the first that is open. */
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
    // Not every step tells of the call that led to it.
    if (thread.openCall === undefined)
      thread.answered({ ...spot, key: call }, [callBlock(call, type.toLowerCase(), {})]);
    thread.result(spot, { call, blocks: textOf(content ?? ''), isError: line.status === 'ERROR' });
    return undefined;
  },
};

/** Qwen Code: lines as Claude Code has them, around messages of Gemini. */
const qwen: Dialect = {
  source: 'qwen-code',
  name: 'Qwen Code',
  recognizes: (objects) => objects.some((line) => hasParts(line) && textAt(line, 'sessionId') !== undefined),
  read(line, thread, at) {
    const [session, directory] = [textAt(line, 'sessionId'), textAt(line, 'cwd')];
    const spot = spotOf(line, at, 'uuid');
    if (!thread.isBegun) thread.describe({ id: session ?? at.file, ...named({ directory, created: spot.time }) });
    if (line.type === 'system') return undefined;
    if (!hasParts(line)) return typeOf(line);
    const parts = listAt(objectAt(line, 'message'), 'parts').filter(isPlainObject);
    const blocks: MessageBlock[] = [];
    for (const [index, part] of parts.entries()) {
      const [call, result] = [objectAt(part, 'functionCall'), objectAt(part, 'functionResponse')];
      if (result !== undefined) {
        const key = `${spot.key}/result-${index}`;
        const response = objectAt(result, 'response');
        const text = textAt(response, 'output', 'error') ?? JSON.stringify(response ?? {});
        const isError = textAt(response, 'error') !== undefined;
        thread.result(
          { ...spot, key },
          { call: textAt(result, 'id'), name: textAt(result, 'name'), blocks: textOf(text), isError },
        );
      } else if (call !== undefined)
        blocks.push(callBlock(textAt(call, 'id') ?? `${spot.key}/${index}`, textAt(call, 'name'), call.args));
      else if (part.thought === true) blocks.push(...thinkingBlocks(textAt(part, 'text')));
      else if (typeof part.text === 'string') blocks.push(...textBlocks(part.text));
      else blocks.push(rawBlock('qwen-code', part));
    }
    if (line.type === 'user') thread.said(spot, blocks);
    else if (line.type === 'assistant') {
      thread.endAnswer();
      thread.answered(spot, blocks, { provider: 'qwen', model_name: textAt(line, 'model') ?? '' });
    }
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
      const sent = readSentBlock(part);
      if (sent === undefined) unknown ??= `block ${type}`;
      // What a block of an unknown kind says is kept as words, if it has them where other kinds do.
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

function textOf(text: string): { type: 'text'; text: string }[] {
  return [{ type: 'text', text }];
}

/** Where a line stands: by its own id, if it has one, else by its number. Ids that were scrubbed are all the same. */
function spotOf(line: PlainObject, { file, line: number }: LinePlace, field?: string): Spot {
  const id = field === undefined ? undefined : textAt(line, field);
  const key = id === undefined || id.startsWith('[') ? `${file}#${number}` : id;
  return { key, time: timeOf(line.timestamp ?? line.created_at) };
}

function begin(thread: PlainThread, { file }: LinePlace): void {
  if (!thread.isBegun) thread.describe({ id: file });
}

interface Facts {
  readonly title?: string | undefined;
  readonly directory?: string | undefined;
  readonly created?: string | undefined;
}

function named({ title, directory, created }: Facts): Omit<ForeignConversation, 'id'> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(directory === undefined ? {} : { directory }),
    ...(created === undefined ? {} : { created_at: created }),
  };
}

function typeOf(line: PlainObject): string {
  return textAt(line, 'type') ?? 'without a type';
}

function isRole(role: unknown): boolean {
  return role === 'user' || role === 'assistant';
}

function hasContent(line: PlainObject): boolean {
  return line.type === undefined && Array.isArray(objectAt(line, 'message')?.content);
}

function hasParts(line: PlainObject): boolean {
  return Array.isArray(objectAt(line, 'message')?.parts);
}
