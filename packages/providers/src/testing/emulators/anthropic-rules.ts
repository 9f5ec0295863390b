import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Received, Refusal } from './core.ts';

/** Refuses the requests that the Messages API refuses. A rule without a named source is marked as assumed, and listed in docs/spec/providers.md. */
export function refuseMessages({ method, path, headers, json, body }: Received): Refusal | undefined {
  // https://docs.anthropic.com/en/api/overview: both ways of sending a key exist.
  const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  // https://docs.anthropic.com/en/api/errors; the order in which several problems are checked is assumed.
  if (method !== 'POST' || !path.startsWith('/v1/messages')) return refusal(404, 'not_found_error', 'Not found');
  if (key === undefined || key === '') return refusal(401, 'authentication_error', 'x-api-key header is required');
  if (key.startsWith('wrong')) return refusal(401, 'authentication_error', 'invalid x-api-key');
  if (headers['anthropic-version'] === undefined) return invalid('anthropic-version: header is required');
  // Half characters: https://github.com/anthropics/claude-code/issues/1832
  if (/\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])/i.test(body))
    return invalid('The request body is not valid JSON: no low surrogate in string');
  if (!isPlainObject(json)) return invalid('The request body is not valid JSON');
  if (typeof json.model !== 'string' || json.model === '')
    return invalid('model: String should have at least 1 character');
  if (!json.model.startsWith('claude-')) return refusal(404, 'not_found_error', `model: ${json.model}`);
  const problem = settingsProblem(json) ?? messagesProblem(json);
  return problem === undefined ? undefined : invalid(problem);
}

function refusal(status: number, kind: string, message: string): Refusal {
  return { status, kind, message };
}

function invalid(message: string): Refusal {
  return refusal(400, 'invalid_request_error', message);
}

function settingsProblem({
  max_tokens: limit,
  thinking,
  temperature,
  tools,
  system,
  messages,
  ...rest
}: PlainObject): string | undefined {
  // https://docs.anthropic.com/en/api/messages
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) return 'max_tokens: Field required';
  if (isPlainObject(thinking) && thinking.type === 'enabled') {
    // https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking
    const budget = typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
    if (budget < 1024) return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
    if (budget >= limit) return '`max_tokens` must be greater than `thinking.budget_tokens`';
    if (temperature !== undefined && temperature !== 1)
      return '`temperature` may only be set to 1 when thinking is enabled';
  }
  for (const block of listOf(system)) {
    // https://github.com/BiFangKNT/mtga/pull/68
    if (block.text === '') return 'system: text content blocks must be non-empty';
  }
  const names = new Set<unknown>();
  for (const { name, input_schema: schema, type } of listOf(tools)) {
    if (type !== undefined && type !== 'custom') continue;
    // https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      return "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";
    // Assumed: names of tools are unique.
    if (names.has(name)) return 'tools: Tool names must be unique.';
    names.add(name);
    if (!isPlainObject(schema) || schema.type !== 'object') return 'tools.0.custom.input_schema.type: Field required';
  }
  const markers = JSON.stringify([system, tools, messages, rest]).split('"cache_control":{').length - 1;
  // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
  return markers > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${markers}.` : undefined;
}

/** https://docs.anthropic.com/en/api/messages and the pages on tool use and extended thinking. */
function messagesProblem({ messages: given, thinking, model, tools }: PlainObject): string | undefined {
  const messages = joinNeighbours(listOf(given));
  if (messages.length === 0) return 'messages: at least one message is required';
  const ids = new Set<unknown>();
  let hasCalls = false;
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}`;
    const blocks = listOf(content);
    const isLast = index === messages.length - 1;
    // Newer models also take prompts in the middle (recorded with Claude Opus 4.8).
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      return `${at}.role: Input should be 'user' or 'assistant'`;
    if (blocks.length === 0)
      return `${at}: all messages must have non-empty content except for the optional final assistant message`;
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    hasCalls ||= calls.length > 0;
    for (const { id } of calls) {
      if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
        return `${at}.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      // Assumed for calls of different messages.
      if (ids.has(id)) return `${at}: \`tool_use\` ids must be unique`;
      ids.add(id);
    }
    const found = blockProblem(blocks, role, at) ?? pairingProblem(messages, index, at);
    if (found !== undefined) return found;
    if (role !== 'assistant') continue;
    const end = blocks.at(-1);
    // https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking and, for white space, the page on prefilling below.
    if (end?.type === 'thinking' || end?.type === 'redacted_thinking')
      return `${at}: The final block in an assistant message cannot be \`thinking\`.`;
    if (isLast && typeof end?.text === 'string' && end.text !== end.text.trimEnd())
      return `${at}: final assistant content cannot end with trailing whitespace`;
    // https://docs.anthropic.com/en/docs/build-with-claude/prefill-claudes-response, refused since Claude 4.6:
    // https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6#prefill-removal
    // https://docs.anthropic.com/en/api/handling-stop-reasons: a paused answer is sent back as it is.
    if (isLast && blocks.some(({ type }) => type === 'server_tool_use')) continue;
    if (isLast && isAdaptive(model))
      return 'This model does not support assistant message prefill. The conversation must end with a user message.';
    if (isLast && isPlainObject(thinking) && thinking.type === 'enabled')
      return 'Pre-filling the assistant response is not supported with thinking.';
  }
  // Refused until February 2025 (https://github.com/anthropics/anthropic-sdk-python/issues/849); assumed of other servers in this shape.
  if (hasCalls && listOf(tools).length === 0)
    return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  return thinkingProblem(messages, thinking);
}

/** The API takes consecutive messages of one side as one message (recorded: two answers with a call each, then one message with both results). */
function joinNeighbours(messages: readonly PlainObject[]): PlainObject[] {
  const joined: { role: unknown; content: PlainObject[] }[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (last !== undefined && last.role === role && listOf(content).length > 0) last.content.push(...listOf(content));
    else joined.push({ role, content: listOf(content) });
  }
  return joined;
}

function blockProblem(blocks: readonly PlainObject[], role: unknown, at: string): string | undefined {
  for (const [number, block] of blocks.entries()) {
    const { type, text, content } = block;
    const place = `${at}.content.${number}`;
    // https://github.com/anthropics/claude-code/issues/59812 and /23369
    if (type === 'text' && (typeof text !== 'string' || text === ''))
      return `${place}: text content blocks must be non-empty`;
    if (type === 'text' && typeof text === 'string' && text.trim() === '')
      return `${place}: text content blocks must contain non-whitespace text`;
    // Assumed: which blocks which side may say.
    if (role === 'user' && (type === 'thinking' || type === 'tool_use'))
      return `${place}: \`${type}\` blocks can only be in \`assistant\` messages`;
    if (role === 'assistant' && (type === 'image' || type === 'document' || type === 'tool_result'))
      return `${place}: \`${type}\` blocks are not permitted in \`assistant\` messages`;
    // https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking
    if (type === 'thinking' && block.signature !== undefined && !isSigned(block))
      return `${place}: Invalid \`signature\` in \`thinking\` block`;
    // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
    if ((type === 'thinking' || type === 'redacted_thinking') && block.cache_control !== undefined)
      return `${place}: cache_control cannot be set for thinking blocks`;
    // https://docs.anthropic.com/en/api/messages
    if (type === 'tool_use' && !isPlainObject(block.input))
      return `${place}.tool_use.input: Input should be a valid dictionary`;
    // https://github.com/bytedance/trae-agent/issues/230
    if (
      type === 'tool_result' &&
      block.is_error === true &&
      listOf(content).length === 0 &&
      typeof content !== 'string'
    )
      return `${place}.tool_result: content cannot be empty if \`is_error\` is true`;
    // https://github.com/vellum-ai/vellum-assistant/pull/18387
    if (type === 'tool_result' && block.is_error === true && listOf(content).some((part) => part.type !== 'text'))
      return `${place}.tool_result: all content must be type "text" if \`is_error\` is true`;
    // https://docs.anthropic.com/en/docs/build-with-claude/vision
    if (type === 'image') {
      const media = isPlainObject(block.source) ? block.source.media_type : undefined;
      if (
        media !== undefined &&
        !['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(typeof media === 'string' ? media : '')
      )
        return `${place}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
    }
    const inner = type === 'tool_result' ? blockProblem(listOf(content), 'user', place) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** https://github.com/anthropics/claude-code/issues/7929, /13460 and https://github.com/anthropics/anthropic-sdk-typescript/issues/653 */
function pairingProblem(messages: readonly PlainObject[], index: number, at: string): string | undefined {
  const blocks = listOf(messages[index]?.content);
  const idsOf = (message: PlainObject | undefined, type: string, field: string): unknown[] =>
    listOf(message?.content).flatMap((block) => (block.type === type ? [block[field]] : []));
  const called = idsOf(messages[index], 'tool_use', 'id');
  const answered = new Set(idsOf(messages[index + 1], 'tool_result', 'tool_use_id'));
  const missing = called.filter((id) => !answered.has(id));
  if (missing.length > 0)
    return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`;
  // Text after a call is refused in the same words (recorded: opencode, rejects-malformed-assistant-tool-order).
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_use');
  if (firstCall !== -1 && blocks.slice(firstCall).some(({ type }) => type === 'text'))
    return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${called.join(', ')}.`;
  const before = new Set(idsOf(messages[index - 1], 'tool_use', 'id'));
  for (const id of idsOf(messages[index], 'tool_result', 'tool_use_id')) {
    if (!before.has(id))
      return `${at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}.`;
  }
  const first = blocks.findIndex(({ type }) => type !== 'tool_result');
  if (first !== -1 && blocks.slice(first).some(({ type }) => type === 'tool_result'))
    return `${at}: tool_result blocks must come first in the content`;
  // https://github.com/AnswerDotAI/lisette/issues/108 and https://github.com/anthropics/claude-code/issues/64383
  const served = new Set(idsOf(messages[index], 'server_tool_use', 'id'));
  const results = new Set(
    blocks.flatMap(({ type, tool_use_id: id }) =>
      typeof type === 'string' && type.endsWith('_tool_result') ? [id] : [],
    ),
  );
  if ([...results].some((id) => !served.has(id))) return `${at}: web_search_tool_result without server_tool_use`;
  const isPaused = index === messages.length - 1;
  return !isPaused && [...served].some((id) => !results.has(id))
    ? `${at}: \`web_search\` tool use without a corresponding \`web_search_tool_result\` block`
    : undefined;
}

/** https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking: with a budget for thinking, an answer whose calls are being answered must begin with thinking. */
function thinkingProblem(messages: readonly PlainObject[], thinking: unknown): string | undefined {
  if (!isPlainObject(thinking) || thinking.type !== 'enabled') return undefined;
  const isOpen = listOf(messages.at(-1)?.content).some(({ type }) => type === 'tool_result');
  const first = listOf(messages.findLast(({ role }) => role === 'assistant')?.content)[0]?.type;
  if (!isOpen || first === 'thinking' || first === 'redacted_thinking') return undefined;
  return `messages: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
}

function isSigned({ thinking, signature }: PlainObject): boolean {
  return typeof thinking === 'string' && signature === Buffer.from(`signed:${thinking}`).toString('base64');
}

function isAdaptive(model: unknown): boolean {
  return typeof model === 'string' && /claude-(opus|sonnet|haiku|fable)-(4-[6-9]|5)/.test(model);
}

function listOf(value: unknown): PlainObject[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
