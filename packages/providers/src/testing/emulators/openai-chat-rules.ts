import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Received, Refusal } from './core.ts';
import {
  idProblem,
  imageProblem,
  isReasoningModel,
  listOf,
  refusal,
  refuseAtDoor,
  samplingProblem,
  toolProblem,
} from './openai-rules.ts';

/** Refuses the requests that OpenAI's chat completions refuse. */
export function refuseChat(request: Received): Refusal | undefined {
  const refused = refuseAtDoor(request, '/chat/completions');
  if (refused !== undefined || !isPlainObject(request.json)) return refused;
  const problem = settingsProblem(request.json) ?? messagesProblem(request.json);
  return problem === undefined ? undefined : refusal(400, problem);
}

/**
 * Refuses the requests that servers with a chat template refuse: vLLM, llama.cpp and Ollama read the arguments of calls
 * (https://github.com/vllm-project/vllm/issues/43995), and many templates want the user to begin (assumed of all).
 */
export function refuseTemplated(request: Received): Refusal | undefined {
  // Servers on loopback want no key.
  const headers = { ...request.headers, authorization: request.headers.authorization ?? 'Bearer none' };
  const refused = refuseChat({ ...request, headers });
  if (refused !== undefined || !isPlainObject(request.json)) return refused;
  const messages = listOf(request.json.messages);
  for (const { tool_calls: calls } of messages) {
    for (const { function: called } of listOf(calls)) {
      if (!isObjectJson(isPlainObject(called) ? called.arguments : undefined)) {
        return refusal(400, 'Expecting value: line 1 column 1 (char 0)', 'BadRequestError');
      }
    }
  }
  const first = messages.find(({ role }) => role !== 'system' && role !== 'developer');
  return first?.role === 'user'
    ? undefined
    : refusal(400, 'Conversation roles must alternate user/assistant/user/assistant/...');
}

function settingsProblem(json: PlainObject): string | undefined {
  const { max_tokens: limit, max_completion_tokens: completion, model, reasoning_effort: effort } = json;
  // Assumed: fields of the other API are refused.
  for (const name of ['max_output_tokens', 'input', 'instructions', 'include']) {
    if (json[name] !== undefined) return `Unknown parameter: '${name}'.`;
  }
  // https://platform.openai.com/docs/api-reference/chat/create#chat_create-max_completion_tokens
  if (limit !== undefined && isReasoningModel(model)) {
    return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  }
  for (const value of [limit, completion]) {
    if (value !== undefined && (typeof value !== 'number' || !Number.isInteger(value) || value < 1)) {
      return "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1.";
    }
  }
  // Assumed for GPT-4, which does not reason.
  if (effort !== undefined && typeof model === 'string' && model.startsWith('gpt-4')) {
    return 'Unrecognized request argument supplied: reasoning_effort';
  }
  for (const [index, { function: given }] of listOf(json.tools).entries()) {
    const { name, parameters } = isPlainObject(given) ? given : {};
    const problem = toolProblem(name, parameters, `tools[${index}].function`);
    if (problem !== undefined) return problem;
  }
  return samplingProblem(json, effort);
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat_create-messages */
function messagesProblem({ messages: given }: PlainObject): string | undefined {
  const messages = listOf(given);
  if (messages.length === 0) return "Invalid 'messages': empty array. Expected an array with minimum length 1.";
  const open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    const { role, content, tool_call_id: answered } = message;
    if (role === 'tool') {
      if (!open.delete(answered)) {
        return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`;
      }
    } else if (open.size > 0) return unanswered(open);
    const problem = role === 'assistant' ? assistantProblem(message, at) : contentProblem(role, content, at);
    if (problem !== undefined) return problem;
    for (const { id } of listOf(message.tool_calls)) {
      // Assumed: parallel calls have different ids.
      if (open.has(id)) return `Duplicate value for 'tool_call_id' of ${String(id)} in message[${index}].`;
      open.add(id);
    }
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function unanswered(open: ReadonlySet<unknown>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
}

function assistantProblem({ content, tool_calls: calls }: PlainObject, at: string): string | undefined {
  // Assumed: a list of calls is not empty.
  if (Array.isArray(calls) && calls.length === 0) return `Invalid '${at}.tool_calls': empty array.`;
  if (content === null || content === undefined) {
    return calls === undefined ? `Invalid value for 'content': expected a string, got null.` : callsProblem(calls, at);
  }
  if (typeof content !== 'string') return `Invalid type for '${at}.content'.`;
  return calls === undefined ? undefined : callsProblem(calls, at);
}

function callsProblem(calls: unknown, at: string): string | undefined {
  for (const [index, { id, type, function: called }] of listOf(calls).entries()) {
    const place = `${at}.tool_calls[${index}]`;
    if (type !== 'function') return `Missing required parameter: '${place}.type'.`;
    const { name, arguments: given } = isPlainObject(called) ? called : {};
    if (typeof given !== 'string') return `Invalid type for '${place}.function.arguments': expected a string.`;
    // Longer ids of calls are refused: https://github.com/microsoft/autogen/issues/6377
    const problem = idProblem(id, 40, `${place}.id`) ?? toolProblem(name, { type: 'object', properties: {} }, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function contentProblem(role: unknown, content: unknown, at: string): string | undefined {
  if (!['system', 'developer', 'user', 'tool'].includes(String(role))) return `Invalid value: '${String(role)}'.`;
  if (typeof content === 'string') return undefined;
  const parts = listOf(content);
  if (parts.length === 0) return `Invalid '${at}.content': empty array. Expected an array with minimum length 1.`;
  for (const [index, { type, image_url: image }] of parts.entries()) {
    // https://platform.openai.com/docs/guides/images-vision: images are the user's alone.
    if (role !== 'user' && type !== 'text') return `Image URLs are only allowed for messages with role 'user'.`;
    if (type === 'image_url') {
      const problem = imageProblem(
        isPlainObject(image) ? image.url : undefined,
        `${at}.content[${index}].image_url.url`,
      );
      if (problem !== undefined) return problem;
    } else if (type !== 'text' && type !== 'file' && type !== 'input_audio') return `Invalid value: '${String(type)}'.`;
  }
  return undefined;
}

function isObjectJson(text: unknown): boolean {
  try {
    return typeof text === 'string' && isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
