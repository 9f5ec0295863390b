import { interruptedText } from '@loom/blocks';
import type { Message, PlainObject } from '@loom/blocks';
import { messageOf } from '@loom/kernel';
import { toModelMessages } from '../../ai-sdk/index.ts';
import { anthropicBlock, anthropicResult, fileAsText, isAnthropicBlock } from '../anthropic-content.ts';
import { CallNames } from '../call-names.ts';
import { ExportNotes } from '../note.ts';
import { openaiMessages } from './openai-messages.ts';
import { exportedLeaves, exportedPath } from '../source.ts';
import type { ExportRange, ExportSource } from '../source.ts';
import { openCalls, spokenContext } from '../spoken-path.ts';
import type { SpokenMessage } from '../spoken-path.ts';

/** The shapes of the messages that programs send to models. */
export type ArrayFormat = 'ai-sdk' | 'openai' | 'anthropic';

/**
 * Writes the messages that models are shown, as JSON: one path is an array of messages, a whole tree an array with `{node, messages}` for the end of
 * each branch. The Messages API has no message for a system prompt: it stands beside, so that `anthropic` is `{system?, messages}`.
 */
export async function* messagesExport(
  source: ExportSource,
  range: ExportRange,
  format: ArrayFormat,
): AsyncGenerator<string> {
  if (range.node !== undefined) {
    yield `${JSON.stringify(await messagesOfPath(source, range.node, format), bytesAsBase64, 2)}\n`;
    return;
  }
  let count = 0;
  for (const leaf of exportedLeaves(source, range)) {
    const messages = await messagesOfPath(source, leaf.id, format);
    const entry = Array.isArray(messages) ? { node: leaf.id, messages } : { node: leaf.id, ...messages };
    yield `${count === 0 ? '[' : ','}\n${JSON.stringify(entry, bytesAsBase64, 2)}`;
    count += 1;
  }
  yield count === 0 ? '[]\n' : '\n]\n';
}

async function messagesOfPath(
  source: ExportSource,
  node: string,
  format: ArrayFormat,
): Promise<unknown[] | PlainObject> {
  const spoken = spokenContext(exportedPath(source, node));
  const { systemPrompt } = source.root.config;
  const prompt = systemPrompt === undefined || systemPrompt === '' ? {} : { systemPrompt };
  switch (format) {
    case 'ai-sdk':
      return toModelMessages(plainMessages(spoken), { ...prompt, loadBlob: (id) => loadBytes(source, id) });
    case 'openai':
      return [
        ...(prompt.systemPrompt === undefined ? [] : [{ role: 'system', content: prompt.systemPrompt }]),
        ...(await openaiMessages(spoken, source)),
      ];
    case 'anthropic': {
      const messages = await anthropicMessages(spoken, source);
      return prompt.systemPrompt === undefined ? { messages } : { system: prompt.systemPrompt, messages };
    }
  }
}

/** Without the method by which a Buffer turns itself into a list of numbers. */
async function loadBytes(source: ExportSource, id: string): Promise<Uint8Array | undefined> {
  const bytes = await source.blob(id);
  return bytes === undefined ? undefined : new Uint8Array(bytes);
}

function bytesAsBase64(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function plainMessages(spoken: readonly SpokenMessage[]): Message[] {
  return spoken.flatMap(({ node, blocks }, index) => {
    const message = messageOf(
      node,
      blocks.map(({ block }) => block),
    );
    return message === undefined ? [] : [message, ...openCalls(spoken, index).map(interrupted)];
  });
}

/** Returns a made-up result of a call that never had one: APIs refuse a conversation in which it is missing. */
function interrupted(tool_call_id: string): Message {
  return { role: 'tool', tool_call_id, is_error: true, content: [{ type: 'text', text: interruptedText }] };
}

/** Writes messages of the Messages API: consecutive ones of one side become one, because results belong into the message that follows the calls. */
async function anthropicMessages(spoken: readonly SpokenMessage[], source: ExportSource): Promise<PlainObject[]> {
  const scope = { source, calls: new CallNames(), notes: new ExportNotes() };
  const messages: { role: 'user' | 'assistant'; content: PlainObject[] }[] = [];
  for (const [index, message] of spoken.entries()) {
    const content: PlainObject[] = [];
    if (message.node.role === 'tool') content.push(await anthropicResult(message, scope));
    else {
      for (const { block } of message.blocks) {
        if (!isAnthropicBlock(block, scope)) continue;
        const isMade = message.node.role === 'assistant' && block.type === 'image';
        content.push(isMade ? fileAsText(block) : await anthropicBlock(block, scope));
      }
    }
    const role = message.node.role === 'assistant' ? 'assistant' : 'user';
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) messages.push({ role, content });
    const open = openCalls(spoken, index).map((id) => ({
      tool_use_id: scope.calls.last(id),
      type: 'tool_result',
      content: interruptedText,
      is_error: true,
    }));
    if (open.length > 0) messages.push({ role: 'user', content: open });
  }
  return messages;
}
