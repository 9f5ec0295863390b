import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Usage } from '@loom/kernel';
import { listAt, numberAt, objectAt, textAt, timeOf } from '../foreign/fields.ts';
import { callBlock, textBlocks, thinkingBlocks, wordsOf } from './dialect.ts';
import type { Dialect, LinePlace } from './dialect.ts';
import type { PlainThread, Spot } from './plain-thread.ts';

type Stream = Pick<Dialect, 'source' | 'read'>;

/** The output of `gemini --output-format stream-json`. It gives the cost of a run, not of each answer. */
export const geminiStream: Stream = {
  source: 'gemini-cli',
  read(line, thread, at) {
    const spot = spotOf(line, at);
    if (!thread.isBegun) thread.describe({ id: textAt(line, 'session_id') ?? at.file });
    switch (line.type) {
      case 'init':
        return undefined;
      case 'message': {
        const words = textAt(line, 'content') ?? '';
        if (line.role === 'user') thread.said(spot, textBlocks(words));
        else thread.spoken(spot, words);
        return undefined;
      }
      case 'tool_use':
        thread.answered(spot, [
          callBlock(textAt(line, 'tool_id') ?? spot.key, textAt(line, 'tool_name'), line.parameters),
        ]);
        return undefined;
      case 'tool_result':
        answer(
          thread,
          spot,
          textAt(line, 'tool_id'),
          textAt(line, 'output') ?? wordsOf(line.error),
          line.status === 'error',
        );
        return undefined;
      case 'error':
        thread.answered(spot, [
          { type: 'error', code: 'error', message: textAt(line, 'message') ?? wordsOf(line.error) },
        ]);
        return undefined;
      case 'result': {
        const stats = objectAt(line, 'stats');
        if (stats !== undefined) thread.finishAnswer({ provider: 'google', usage: geminiUsage(stats) });
        return undefined;
      }
      default:
        return textAt(line, 'type') ?? 'without a type';
    }
  },
};

/** The output of `opencode run --format json`: parts of answers, and calls with their results. It leaves out the user's prompt. */
export const opencodeStream: Stream = {
  source: 'opencode',
  read(line, thread, at) {
    const spot = spotOf(line, at);
    if (!thread.isBegun) thread.describe({ id: textAt(line, 'sessionID') ?? at.file });
    const part = objectAt(line, 'part') ?? {};
    switch (line.type) {
      case 'step_start':
        thread.endAnswer();
        return undefined;
      case 'text':
        thread.answered(spot, textBlocks(textAt(part, 'text')));
        return undefined;
      case 'reasoning':
        thread.answered(spot, thinkingBlocks(textAt(part, 'text')));
        return undefined;
      case 'tool_use': {
        const [id, state] = [textAt(part, 'callID') ?? spot.key, objectAt(part, 'state')];
        thread.answered(spot, [callBlock(id, textAt(part, 'tool'), state?.input)]);
        answer(
          thread,
          { ...spot, key: `${spot.key}/result` },
          id,
          textAt(state, 'output', 'error') ?? '',
          state?.status === 'error',
        );
        return undefined;
      }
      case 'step_finish': {
        const [tokens, cost] = [objectAt(part, 'tokens'), numberAt(part, 'cost')];
        if (tokens !== undefined)
          thread.finishAnswer({
            usage: {
              ...usageOf(tokens, 'input', 'output', objectAt(tokens, 'cache'), 'read', 'write'),
              ...(cost === undefined ? {} : { cost_usd: cost }),
            },
          });
        return undefined;
      }
      case 'error': {
        const error = objectAt(line, 'error');
        const message = textAt(objectAt(error, 'data'), 'message') ?? wordsOf(error ?? line.error);
        thread.answered(spot, [{ type: 'error', code: textAt(error, 'name') ?? 'error', message }]);
        return undefined;
      }
      default:
        return textAt(line, 'type') ?? 'without a type';
    }
  },
};

/** The output of `pi --mode json`: messages as they begin, grow and end, of which the ends are read. */
export const piStream: Stream = {
  source: 'pi',
  read(line, thread, at) {
    const spot = spotOf(line, at);
    if (!thread.isBegun) {
      const directory = textAt(line, 'cwd');
      thread.describe({ id: textAt(line, 'id') ?? at.file, ...(directory === undefined ? {} : { directory }) });
    }
    const type = textAt(line, 'type') ?? 'without a type';
    if (type === 'tool_execution_end') {
      answer(
        thread,
        spot,
        textAt(line, 'toolCallId'),
        wordsOf(listAt(objectAt(line, 'result'), 'content')),
        line.isError === true,
      );
      return undefined;
    }
    if (type !== 'message_end') return piSide.test(type) ? undefined : type;
    const message = objectAt(line, 'message') ?? {};
    const content = listAt(message, 'content').filter(isPlainObject);
    if (message.role === 'user') thread.said(spot, textBlocks(wordsOf(content)));
    if (message.role !== 'assistant') return undefined;
    const blocks = content.flatMap((part, index) => {
      if (part.type === 'toolCall')
        return [callBlock(textAt(part, 'id') ?? `${spot.key}/${index}`, textAt(part, 'name'), part.arguments)];
      return part.type === 'thinking' ? thinkingBlocks(textAt(part, 'thinking')) : textBlocks(textAt(part, 'text'));
    });
    const usage = objectAt(message, 'usage');
    thread.endAnswer();
    thread.answered(spot, blocks, {
      provider: textAt(message, 'provider') ?? '',
      model_name: textAt(message, 'model') ?? '',
      ...(usage === undefined ? {} : { usage: usageOf(usage, 'input', 'output', usage, 'cacheRead', 'cacheWrite') }),
    });
    return undefined;
  },
};

const piSide = /^(?:session|agent_|turn_|message_|tool_execution_|queue_|auto_|compaction)/u;

function answer(thread: PlainThread, spot: Spot, call: string | undefined, text: string, isError: boolean): void {
  thread.result(spot, { call, blocks: [{ type: 'text', text }], isError });
}

function geminiUsage(stats: PlainObject): Usage {
  return {
    input_tokens: numberAt(stats, 'input_tokens') ?? 0,
    output_tokens: numberAt(stats, 'output_tokens') ?? 0,
    cached_input_tokens: numberAt(stats, 'cached') ?? 0,
    raw: stats,
  };
}

/** Returns the usage of a program that counts tokens of the cache apart. */
function usageOf(
  raw: PlainObject,
  input: string,
  output: string,
  cache: PlainObject | undefined,
  read: string,
  write: string,
): Usage {
  const [cached, written] = [numberAt(cache, read) ?? 0, numberAt(cache, write) ?? 0];
  return {
    input_tokens: (numberAt(raw, input) ?? 0) + cached + written,
    output_tokens: (numberAt(raw, output) ?? 0) + (numberAt(raw, 'reasoning') ?? 0),
    cached_input_tokens: cached,
    cache_write_tokens: written,
    raw,
  };
}

function spotOf(line: PlainObject, { file, line: number }: LinePlace): Spot {
  return { key: `${file}#${number}`, time: timeOf(line.timestamp) };
}
