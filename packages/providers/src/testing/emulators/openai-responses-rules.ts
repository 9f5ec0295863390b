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

/** Refuses the requests that the Responses API refuses. */
export function refuseResponse(request: Received): Refusal | undefined {
  const refused = refuseAtDoor(request, '/responses');
  if (refused !== undefined || !isPlainObject(request.json)) return refused;
  const { json } = request;
  const missing = missingItem(json);
  if (missing !== undefined) return refusal(404, missing);
  const problem = settingsProblem(json) ?? inputProblem(json);
  return problem === undefined ? undefined : refusal(400, problem);
}

function settingsProblem(json: PlainObject): string | undefined {
  for (const name of ['max_tokens', 'max_completion_tokens', 'messages', 'stop', 'seed']) {
    // https://platform.openai.com/docs/guides/migrate-to-responses
    if (json[name] !== undefined)
      return `Unsupported parameter: '${name}'. In the Responses API, this parameter has moved.`;
  }
  // https://platform.openai.com/docs/api-reference/responses/create
  const limit = json.max_output_tokens;
  if (limit !== undefined && (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 16)) {
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.`;
  }
  // https://platform.openai.com/docs/guides/reasoning
  const effort = isPlainObject(json.reasoning) ? json.reasoning.effort : undefined;
  if (effort !== undefined && !isReasoningModel(json.model)) {
    return "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
  }
  // https://github.com/OpenHands/OpenHands/issues/11406
  const wantsEncrypted = Array.isArray(json.include) && json.include.includes('reasoning.encrypted_content');
  if (wantsEncrypted && !isReasoningModel(json.model)) return 'Encrypted content is not supported with this model.';
  const names = new Set<unknown>();
  for (const [index, { type, name, parameters }] of listOf(json.tools).entries()) {
    if (type !== 'function') continue;
    const problem = toolProblem(name, parameters, `tools[${index}]`);
    if (problem !== undefined) return problem;
    // Assumed: names of tools are unique.
    if (names.has(name)) return `Duplicate tool names are not allowed: ${String(name)}`;
    names.add(name);
  }
  return samplingProblem(json, effort);
}

/** https://github.com/openai/openai-agents-js/issues/546: an item that is not stored cannot be referred to. */
function missingItem({ input, store }: PlainObject): string | undefined {
  if (store !== false) return undefined;
  const lost = listOf(input).find(
    ({ type, encrypted_content: encrypted }) =>
      type === 'item_reference' || (type === 'reasoning' && typeof encrypted !== 'string'),
  );
  return lost === undefined
    ? undefined
    : `Item with id '${String(lost.id)}' not found. Items are not persisted when \`store\` is set to false.`;
}

/** https://platform.openai.com/docs/api-reference/responses/create#responses_create-input */
function inputProblem({ input: given, model }: PlainObject): string | undefined {
  const input = listOf(given);
  if (input.length === 0) return "Missing required parameter: 'input'.";
  const open = new Map<unknown, string>();
  const ids = new Set<unknown>();
  for (const [index, item] of input.entries()) {
    const at = `input[${index}]`;
    const problem = itemProblem(item, at) ?? reasoningProblem(input, index, model);
    if (problem !== undefined) return problem;
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      // Assumed: ids of calls are used once.
      if (ids.has(item.call_id)) return `Duplicate item found with call_id ${String(item.call_id)}.`;
      ids.add(item.call_id);
      open.set(item.call_id, item.type);
    }
    if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      if (`${String(open.get(item.call_id))}_output` !== item.type) return withoutCall(item);
      open.delete(item.call_id);
    }
    // https://github.com/vercel/ai/issues/7883: a user message before the results counts as a turn without them.
    if (item.role === 'user' && open.size > 0) return unanswered(open);
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function withoutCall({ type, call_id: id }: PlainObject): string {
  const kind = type === 'function_call_output' ? 'function call' : 'custom tool call';
  return `No tool call found for ${kind} output with call_id ${String(id)}.`;
}

function unanswered(open: ReadonlyMap<unknown, string>): string {
  return `No tool output found for function call ${[...open.keys()].join(', ')}.`;
}

function itemProblem(item: PlainObject, at: string): string | undefined {
  const { type, role } = item;
  switch (type) {
    case undefined:
    case 'message':
      return messageProblem(role, item.content, at);
    case 'function_call': {
      if (typeof item.arguments !== 'string') return `Invalid type for '${at}.arguments': expected a string.`;
      const name = toolProblem(item.name, { type: 'object', properties: {} }, at);
      return name ?? idProblem(item.call_id, 64, `${at}.call_id`);
    }
    case 'custom_tool_call': {
      if (typeof item.input !== 'string') return `Invalid type for '${at}.input': expected a string.`;
      const name = toolProblem(item.name, { type: 'object', properties: {} }, at);
      return name ?? idProblem(item.call_id, 64, `${at}.call_id`);
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return typeof item.output === 'string' ? undefined : partsProblem(item.output, `${at}.output`);
    case 'reasoning':
      return Array.isArray(item.summary) ? undefined : `Missing required parameter: '${at}.summary'.`;
    case 'web_search_call':
    case 'file_search_call':
    case 'code_interpreter_call':
    case 'mcp_call':
      return idProblem(item.id, 64, `${at}.id`);
    case 'image_generation_call':
      return typeof item.result === 'string'
        ? idProblem(item.id, 64, `${at}.id`)
        : `Missing required parameter: '${at}.result'.`;
    default:
      return `Invalid value: '${String(type)}'. Supported values are: 'message', 'function_call', …`;
  }
}

/** Assumed: no message is empty. The rest is from the page on `input` above. */
function messageProblem(role: unknown, content: unknown, at: string): string | undefined {
  if (!['user', 'assistant', 'system', 'developer'].includes(String(role))) return `Invalid value: '${String(role)}'.`;
  if (typeof content === 'string') return content === '' ? `Invalid '${at}.content': empty string.` : undefined;
  if (role !== 'assistant') return partsProblem(content, `${at}.content`);
  const wrong = listOf(content).find(({ type }) => type !== 'output_text' && type !== 'refusal');
  return wrong === undefined
    ? undefined
    : `Invalid value: '${String(wrong.type)}'. Supported values are: 'output_text' and 'refusal'.`;
}

function partsProblem(content: unknown, at: string): string | undefined {
  const parts = listOf(content);
  if (parts.length === 0) return `Invalid '${at}': empty array. Expected an array with minimum length 1.`;
  for (const [index, part] of parts.entries()) {
    const place = `${at}[${index}]`;
    if (part.type === 'input_text' && typeof part.text !== 'string')
      return `Missing required parameter: '${place}.text'.`;
    const image = part.type === 'input_image' ? imageProblem(part.image_url, `${place}.image_url`) : undefined;
    if (image !== undefined) return image;
    const isFile =
      typeof part.file_data === 'string' ? typeof part.filename === 'string' : typeof part.file_url === 'string';
    if (part.type === 'input_file' && !isFile) return `Missing required parameter: '${place}.filename'.`;
    if (!['input_text', 'input_image', 'input_file'].includes(String(part.type))) {
      return `Invalid value: '${String(part.type)}'. Supported values are: 'input_text', 'input_image', and 'input_file'.`;
    }
  }
  return undefined;
}

/** Encrypted reasoning goes back to the model that wrote it, with the item it led to: https://github.com/openai/openai-python/issues/2337 */
function reasoningProblem(input: readonly PlainObject[], index: number, model: unknown): string | undefined {
  const item = input[index] ?? {};
  const after = /_after_(rs_\w+)$/.exec(String(item.id))?.[1];
  if (after !== undefined && !input.slice(0, index).some(({ id }) => id === after)) {
    return `Item '${String(item.id)}' of type '${String(item.type)}' was provided without its required 'reasoning' item: '${after}'.`;
  }
  if (item.type !== 'reasoning') return undefined;
  if (item.encrypted_content !== sealOf(String(item.id), model)) {
    return `The encrypted content for item ${String(item.id)} could not be verified.`;
  }
  const next = input.slice(index + 1).find(({ type }) => type !== 'reasoning');
  const isFollowed = next !== undefined && next.role !== 'user' && !String(next.type).endsWith('_output');
  return isFollowed
    ? undefined
    : `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
}

/** Returns the emulator's encrypted reasoning, which it can recognize later. */
export function sealOf(id: string, model: unknown): string {
  return Buffer.from(`sealed:${id}:${String(model)}`).toString('base64');
}
