import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { Usage } from '@loom/kernel';
import { listAt, numberAt, objectAt, textAt } from '../foreign/fields.ts';
import { callBlock, named, rawBlock, spotOf, textBlocks, textOf, thinkingBlocks, typeOf, wordsOf } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import type { PlainThread, Spot } from './plain-thread.ts';

/**
 * Copilot CLI: events with their data, in the shapes that its SDK publishes. The messages of an agent that a call started form a separate
 * conversation.
 */
export const copilot: Dialect = {
  source: 'copilot',
  name: 'Copilot CLI',
  recognizes: ([first]) =>
    first?.type === 'session.start' && textAt(objectAt(first, 'data'), 'sessionId') !== undefined,
  read(line, thread, at) {
    const data = objectAt(line, 'data') ?? {};
    const spot = spotOf(line, at, 'id');
    const sender = textAt(data, 'parentToolCallId') ?? textAt(line, 'agentId');
    const isOwn = sender === undefined || sender.startsWith('[') || !thread.isBegun;
    // A session that is rewound to an event continues before it.
    thread.noteLine(spot.key);
    return readEvent(line, data, spot, isOwn ? thread : thread.agent(sender), at.file);
  },
};

function readEvent(
  line: PlainObject,
  data: PlainObject,
  spot: Spot,
  thread: PlainThread,
  file: string,
): string | undefined {
  const type = typeOf(line);
  switch (type) {
    case 'session.start': {
      const directory = textAt(objectAt(data, 'context'), 'cwd');
      thread.describe({ id: textAt(data, 'sessionId') ?? file, ...named({ directory, created: spot.time }) });
      return undefined;
    }
    case 'session.title_changed':
      thread.describe(named({ title: textAt(data, 'title') }));
      return undefined;
    case 'session.snapshot_rewind':
      thread.goBelow(textAt(data, 'upToEventId') ?? '');
      return undefined;
    case 'session.context_cleared':
      thread.startContext();
      return undefined;
    case 'session.compaction_complete': {
      const summary = textBlocks(textAt(data, 'summaryContent'));
      if (data.success === false || summary.length === 0) return undefined;
      thread.startContext();
      thread.said(spot, summary, { synthetic: true });
      return undefined;
    }
    case 'session.error': {
      const code = textAt(data, 'errorCode', 'errorType') ?? 'copilot';
      thread.endAnswer();
      thread.answered(spot, [{ type: 'error', code, message: textAt(data, 'message') ?? '' }]);
      return undefined;
    }
    case 'user.message': {
      const blocks = [...textBlocks(textAt(data, 'content')), ...listAt(data, 'attachments').map(attachment)];
      const isOther = textAt(data, 'source') !== undefined || data.isAutopilotContinuation === true;
      thread.said(spot, blocks, isOther && data.source !== 'user' ? { synthetic: true } : undefined);
      return undefined;
    }
    case 'system.notification':
      thread.said(spot, textBlocks(textAt(data, 'content')), { synthetic: true });
      return undefined;
    case 'assistant.reasoning':
      thread.hold(textAt(data, 'content') ?? '');
      return undefined;
    case 'assistant.message': {
      const calls = listAt(data, 'toolRequests').filter(isPlainObject);
      const held = thread.takeThought();
      thread.endAnswer();
      thread.answered(
        spot,
        [
          ...thinkingBlocks(textAt(data, 'reasoningText') ?? held),
          ...textBlocks(textAt(data, 'content')),
          ...calls.map((call, index) =>
            callBlock(textAt(call, 'toolCallId') ?? `${spot.key}/${index}`, textAt(call, 'name'), call.arguments),
          ),
        ],
        { model_name: textAt(data, 'model') ?? '' },
      );
      return undefined;
    }
    case 'assistant.usage':
      thread.finishAnswer({ usage: usageOf(data) });
      return undefined;
    case 'tool.user_requested':
      thread.endAnswer();
      thread.answered(spot, [
        callBlock(textAt(data, 'toolCallId') ?? spot.key, textAt(data, 'toolName'), data.arguments),
      ]);
      return undefined;
    case 'tool.execution_complete': {
      const report = objectAt(data, 'result');
      const failure = textAt(objectAt(data, 'error'), 'message') ?? wordsOf(data.error);
      const others = listAt(report, 'contents').filter((part) => textAt(part, 'type') !== 'text');
      thread.result(spot, {
        call: textAt(data, 'toolCallId'),
        name: textAt(data, 'toolName'),
        blocks: [
          ...textOf(textAt(report, 'content') ?? failure),
          ...others.map((value) => ({ type: 'raw' as const, source: 'copilot', value })),
        ],
        isError: data.success === false,
      });
      return undefined;
    }
    default:
      return side.test(type) ? undefined : type;
  }
}

/** The other events of Copilot: none is shown to models. Calls come with their message. */
const side =
  /^(?:session\.|hook\.|subagent\.|permission\.|model\.|commands?\.|capabilities\.|skill\.|mcp\.|assistant\.(?:turn_|intent|idle|fusion|message_|reasoning_|streaming_|tool_call_|server_tool_)|tool\.execution_(?:start|progress|partial)|system\.message$|pending_messages\.|user_input\.|elicitation\.|exit_plan_mode\.|external_tool\.|auto_mode_|abort$)/u;

/** Returns a file that was attached by its path: people see its name; its bytes are not in the session. */
function namedFile(value: unknown): MessageBlock {
  const path = textAt(value, 'path') ?? textAt(value, 'displayName');
  if (path === undefined || !isPlainObject(value)) return rawBlock('copilot-attachment', value);
  return { type: 'text', text: `Attached: ${path}`, ephemeral: true, provider: { copilot: value } };
}

function attachment(value: unknown): MessageBlock {
  const [media, data] = [textAt(value, 'mimeType'), textAt(value, 'data')];
  if (media === undefined || data === undefined || !/^image\/[\w.+-]+$/u.test(media)) return namedFile(value);
  return { type: 'image', media_type: media, url: `data:${media};base64,${data}` };
}

/** Copilot counts tokens read from or written to a cache within its input. */
function usageOf(raw: PlainObject): Usage {
  return {
    input_tokens: numberAt(raw, 'inputTokens') ?? 0,
    output_tokens: numberAt(raw, 'outputTokens') ?? 0,
    cached_input_tokens: numberAt(raw, 'cacheReadTokens') ?? 0,
    cache_write_tokens: numberAt(raw, 'cacheWriteTokens') ?? 0,
    raw,
  };
}
