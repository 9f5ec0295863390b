import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Received, Refusal } from './core.ts';

/**
 * Refuses the requests that both of OpenAI's APIs refuse: by path, key and model. A rule without a named source is marked as assumed, and listed in
 * docs/spec/providers.md.
 */
export function refuseAtDoor({ method, path, headers, json }: Received, endpoint: string): Refusal | undefined {
  if (method !== 'POST' || !path.endsWith(endpoint)) return refusal(404, `Invalid URL (${method} ${path})`);
  // https://platform.openai.com/docs/guides/error-codes
  const key = headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (key === '') return refusal(401, "You didn't provide an API key.");
  if (key.startsWith('wrong')) return refusal(401, `Incorrect API key provided: ${key}.`, 'invalid_api_key');
  if (!isPlainObject(json)) return refusal(400, 'We could not parse the JSON body of your request.');
  if (typeof json.model !== 'string' || json.model === '') return refusal(400, 'you must provide a model parameter');
  if (!/^(gpt|o\d|local)/.test(json.model)) {
    const message = `The model \`${json.model}\` does not exist or you do not have access to it.`;
    return refusal(404, message, 'model_not_found');
  }
  // Postgres behind the API takes neither: https://community.openai.com/t/invalid-unicode-surrogate
  return hasHalfCharacter(json) ? refusal(400, 'Invalid unicode: lone surrogate in string.') : undefined;
}

export function refusal(status: number, message: string, kind = 'invalid_request_error'): Refusal {
  return { status, kind, message };
}

/** https://platform.openai.com/docs/guides/reasoning: these models have no sampling parameters. */
export function isReasoningModel(model: unknown): boolean {
  return typeof model === 'string' && /^(o\d|gpt-[5-9](?!.*chat))/.test(model);
}

/** Returns the parameter that reasoning models refuse: https://platform.openai.com/docs/guides/latest-model#gpt-5-1-parameter-compatibility */
export function samplingProblem(json: PlainObject, effort: unknown): string | undefined {
  if (!isReasoningModel(json.model) || effort === 'none') return undefined;
  for (const name of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logprobs']) {
    if (json[name] !== undefined) return `Unsupported parameter: '${name}' is not supported with this model.`;
  }
  return undefined;
}

/** https://platform.openai.com/docs/guides/function-calling */
export function toolProblem(name: unknown, parameters: unknown, at: string): string | undefined {
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(name)) {
    return `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  }
  if (name.length > 64) {
    return `Invalid '${at}.name': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`;
  }
  if (!isPlainObject(parameters) || parameters.type !== 'object') {
    return `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`;
  }
  return isPlainObject(parameters.properties)
    ? undefined
    : `Invalid schema for function '${name}': object schema missing properties.`;
}

/** https://platform.openai.com/docs/guides/images-vision: images by address or as data of four types. */
export function imageProblem(url: unknown, at: string): string | undefined {
  const isGood = typeof url === 'string' && /^(https?:\/\/.|data:image\/(png|jpeg|webp|gif);base64,.)/.test(url);
  return isGood ? undefined : `Invalid '${at}': unsupported image. Supported formats: png, jpeg, gif, webp.`;
}

/** Assumed wording: the length of an id, which the two APIs limit differently. */
export function idProblem(id: unknown, longest: number, at: string): string | undefined {
  if (typeof id !== 'string' || id === '') return `Missing required parameter: '${at}'.`;
  if (id.length <= longest) return undefined;
  return `Invalid '${at}': string too long. Expected a string with maximum length ${longest}, but got a string with length ${id.length} instead.`;
}

export function listOf(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function hasHalfCharacter(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed() || value.includes('\0');
  if (Array.isArray(value)) return value.some(hasHalfCharacter);
  return (
    isPlainObject(value) &&
    Object.entries(value).some(([key, inner]) => hasHalfCharacter(key) || hasHalfCharacter(inner))
  );
}
