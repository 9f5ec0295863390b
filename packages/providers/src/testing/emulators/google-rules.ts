import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { Received, Refusal } from './core.ts';
import { firstOf, listOf, normalize, partData, unknownField } from './google-fields.ts';

/** Refuses the requests that the Gemini API refuses. A rule without a named source is marked as assumed, and listed in docs/spec/providers.md. */
export function refuseGoogle({ method, path, headers, json, body }: Received): Refusal | undefined {
  const url = new URL(path, 'http://localhost');
  const [, model, action] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(url.pathname) ?? [];
  const key = headers['x-goog-api-key'] ?? url.searchParams.get('key');
  if (method !== 'POST' || model === undefined) return { status: 404, kind: 'NOT_FOUND', message: 'Not found' };
  // https://ai.google.dev/gemini-api/docs/troubleshooting
  if (!key) {
    const message = "Method doesn't allow unregistered callers (callers without established identity).";
    return { status: 403, kind: 'PERMISSION_DENIED', message };
  }
  if (key.startsWith('wrong')) return invalid('API key not valid. Please pass a valid API key.');
  if (action !== 'streamGenerateContent' || !/^(?:gemini|gemma|learnlm)-/.test(model)) {
    const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
    return { status: 404, kind: 'NOT_FOUND', message };
  }
  if (json === undefined || !isWellFormed(body)) return invalid('Invalid JSON payload received.');
  const problem = requestProblem(json, model) ?? signatureProblem(json, model);
  return problem === undefined ? undefined : invalid(problem);
}

function invalid(message: string): Refusal {
  return { status: 400, kind: 'INVALID_ARGUMENT', message };
}

/** Half characters cannot be read (https://protobuf.dev/programming-guides/json/). */
function isWellFormed(body: string): boolean {
  return !/\\u[dD][89a-fA-F]/.test(body) || JSON.stringify(JSON.parse(body)).isWellFormed();
}

/** Returns the problem of a request, whichever client has sent it. */
export function requestProblem(json: unknown, model: string): string | undefined {
  const request = normalize(json);
  if (!isPlainObject(request)) return 'Invalid JSON payload received.';
  // https://github.com/Chevey339/kelivo/issues/543
  const unknown = unknownField(request);
  if (unknown !== undefined) return `Invalid JSON payload received. ${unknown}`;
  return contentsProblem(request, model) ?? toolsProblem(request, model) ?? configProblem(request, model);
}

function contentsProblem({ contents: given, systemInstruction }: PlainObject, model: string): string | undefined {
  const contents = listOf(given ?? []);
  // https://ai.google.dev/api/generate-content#request-body
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified';
  // https://ai.google.dev/gemma/docs/core/prompt-structure
  if (isPlainObject(systemInstruction) && model.startsWith('gemma')) {
    return `Developer instruction is not enabled for models/${model}`;
  }
  return (
    firstOf(contents, ({ role, parts }, index) => {
      const at = `contents[${index}]`;
      if (role !== 'user' && role !== 'model' && role !== 'function') return 'Please use a valid role: user, model.';
      // https://github.com/vercel/ai/issues/3775
      if (listOf(parts ?? []).length === 0)
        return `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`;
      return firstOf(listOf(parts), (part, number) => partProblem(part, `${at}.parts[${number}]`));
    }) ??
    orderProblem(turnsOf(contents)) ??
    missingSignature(contents, model)
  );
}

function partProblem(part: PlainObject, at: string): string | undefined {
  const kinds = Object.keys(part).filter((name) => name in partData);
  // https://github.com/54xzh/FLIT/issues/69
  if (kinds.length === 0)
    return `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`;
  // https://protobuf.dev/programming-guides/json/
  if (kinds.length > 1)
    return `Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${kinds[1]}'`;
  const { text, functionCall, functionResponse, inlineData, thoughtSignature } = part;
  // https://ai.google.dev/api/caching#Part and, for bytes, the page on JSON above.
  if (text !== undefined && typeof text !== 'string')
    return `Invalid value at '${at}.text' (TYPE_STRING), ${JSON.stringify(text)}`;
  if (thoughtSignature !== undefined && !isBase64(thoughtSignature)) {
    return `Invalid value at '${at}.thought_signature' (TYPE_BYTES), Base64 decoding failed for ${JSON.stringify(thoughtSignature)}`;
  }
  if (isPlainObject(inlineData)) {
    if (!isBase64(inlineData.data))
      return `Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed`;
    // https://ai.google.dev/gemini-api/docs/file-input-methods
    if (
      !/^(?:image\/(?:png|jpe?g|webp|hei[cf])|application\/(?:pdf|json)|text\/|audio\/|video\/)/.test(
        String(inlineData.mimeType),
      )
    ) {
      return `Unable to process input image. Unsupported MIME type: ${String(inlineData.mimeType)}`;
    }
  }
  // https://ai.google.dev/api/caching#FunctionCall
  for (const [name, inner] of [
    ['function_call', functionCall],
    ['function_response', functionResponse],
  ] as const) {
    if (inner === undefined) continue;
    const { name: called, args, response } = isPlainObject(inner) ? inner : {};
    if (typeof called !== 'string' || called === '')
      return `* GenerateContentRequest.${at}.${name}.name: Name cannot be empty.`;
    const struct = name === 'function_call' ? (args ?? {}) : response;
    if (!isPlainObject(struct)) return `Invalid value at '${at}.${name}' (type.googleapis.com/google.protobuf.Struct)`;
  }
  return undefined;
}

/** Consecutive contents of one side (recorded: two contents with one call each were answered by one with two responses). */
interface Turn {
  isModel: boolean;
  calls: string[];
  responses: string[];
}

function turnsOf(contents: readonly PlainObject[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, parts } of contents) {
    const named = (kind: string): string[] =>
      listOf(parts).flatMap((part) => (isPlainObject(part[kind]) ? [String(part[kind].name)] : []));
    const turn = { isModel: role === 'model', calls: named('functionCall'), responses: named('functionResponse') };
    const last = turns.at(-1);
    const isSameKind = last?.isModel === turn.isModel && last.responses.length > 0 === turn.responses.length > 0;
    if (last !== undefined && isSameKind) {
      last.calls.push(...turn.calls);
      last.responses.push(...turn.responses);
    } else turns.push(turn);
  }
  return turns;
}

/** https://github.com/google-gemini/gemini-cli/issues/26486, /5443 and https://github.com/langchain-ai/langchain/issues/27799 */
function orderProblem(turns: readonly Turn[]): string | undefined {
  return firstOf(turns, ({ isModel, calls, responses }, index) => {
    const [before, after] = [turns[index - 1], turns[index + 1]];
    if (calls.length > 0 && (!isModel || before?.isModel !== false)) {
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    }
    if (responses.length > 0 && !(before?.isModel === true && before.calls.length > 0)) {
      return 'Please ensure that function response turn comes immediately after a function call turn.';
    }
    const answered = after?.responses ?? [];
    if (calls.length !== answered.length && calls.length > 0) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    // Assumed: the names of responses are those of the calls.
    const isNamed = calls.toSorted().every((name, number) => answered.toSorted()[number] === name);
    return isNamed
      ? undefined
      : 'Please ensure that function responses have the names of the functions that were called.';
  });
}

/** https://ai.google.dev/gemini-api/docs/thought-signatures: in the current turn the first call of each step must be signed. */
function missingSignature(contents: readonly PlainObject[], model: string): string | undefined {
  if (!/^gemini-(?:[3-9]|\d\d)/.test(model)) return undefined;
  const isSaid = ({ role, parts }: PlainObject): boolean =>
    role !== 'model' && listOf(parts).every((part) => part.functionResponse === undefined);
  const turn = contents.slice(contents.findLastIndex(isSaid) + 1);
  return firstOf(turn, ({ parts }) => {
    const position = listOf(parts).findIndex((part) => part.functionCall !== undefined);
    const first = listOf(parts)[position];
    if (first === undefined || first.thoughtSignature !== undefined) return undefined;
    const name = isPlainObject(first.functionCall) ? String(first.functionCall.name) : '';
    return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`, position ${position + 1}.`;
  });
}

/** The emulator recognizes its own signatures, and their model. Assumed: signatures of other models are invalid. */
function signatureProblem(json: unknown, model: string): string | undefined {
  const request = normalize(json);
  const contents = isPlainObject(request) ? listOf(request.contents) : [];
  return firstOf(contents, ({ parts }) =>
    firstOf(listOf(parts), ({ thoughtSignature: signature }) => {
      if (typeof signature !== 'string' || signature === 'skip_thought_signature_validator') return undefined;
      return isSignedFor(model, signature) ? undefined : 'Corrupted thought signature.';
    }),
  );
}

/** Returns a signature of the emulator. */
export function signFor(model: string, number: number): string {
  return Buffer.from(`signed for ${model}: ${number}`).toString('base64');
}

function isSignedFor(model: string, signature: string): boolean {
  return Buffer.from(signature, 'base64').toString().startsWith(`signed for ${model}: `);
}

function toolsProblem({ tools: given }: PlainObject, model: string): string | undefined {
  const tools = listOf(given ?? []);
  const declared = tools.flatMap(({ functionDeclarations }) => listOf(functionDeclarations ?? []));
  const hasOwn = tools.some((tool) => Object.keys(tool).some((name) => name !== 'functionDeclarations'));
  // https://ai.google.dev/gemini-api/docs/function-calling#native-tools
  if (declared.length > 0 && hasOwn && !/^gemini-(?:[3-9]|\d\d)/.test(model))
    return 'Tool use with function calling is unsupported';
  const names = new Set<unknown>();
  return firstOf(declared, ({ name, parametersJsonSchema: schema }, index) => {
    const at = `GenerateContentRequest.tools[0].function_declarations[${index}]`;
    // https://ai.google.dev/api/caching#FunctionDeclaration
    if (typeof name !== 'string' || !/^[a-zA-Z_][\w.:-]{0,127}$/.test(name)) {
      return `* ${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`;
    }
    // Assumed: names of functions are unique.
    if (names.has(name)) return `Duplicate function declaration found: ${name}`;
    names.add(name);
    return schema === undefined ? undefined : schemaProblem(schema, schema, `${at}.parameters_json_schema`);
  });
}

/** https://ai.google.dev/api/generate-content#FIELDS.response_json_schema: the supported keywords of JSON Schema. */
const keywords = new Set(
  '$id $defs $ref $anchor type format title description default enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering'.split(
    ' ',
  ),
);

function schemaProblem(schema: unknown, root: unknown, at: string): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isPlainObject(schema)) return `* ${at}: schema should be an object`;
  const {
    $ref: reference,
    properties = {},
    required,
    items,
    anyOf,
    oneOf,
    prefixItems,
    $defs: definitions = {},
  } = schema;
  const unknown = Object.keys(schema).find((key) => !keywords.has(key));
  if (unknown !== undefined) return `* ${at}.${unknown}: unknown keyword`;
  if (reference !== undefined) {
    const name = /^#\/\$defs\/(.+)$/.exec(typeof reference === 'string' ? reference : '')?.[1];
    const known = isPlainObject(root) && isPlainObject(root.$defs) ? Object.keys(root.$defs) : [];
    return name !== undefined && known.includes(name) ? undefined : `* ${at}.$ref: reference to undefined schema`;
  }
  if (!isPlainObject(properties) || !isPlainObject(definitions)) return `* ${at}.properties: should be an object`;
  const wanted: unknown[] = Array.isArray(required) ? required : [];
  const missing = wanted.find((name) => !Object.keys(properties).some((property) => property === name));
  if (missing !== undefined) return `* ${at}.required[0]: property is not defined`;
  const inner = [...Object.values(properties), ...Object.values(definitions), items, anyOf, oneOf, prefixItems].flat();
  return firstOf(inner, (value) => (value === undefined ? undefined : schemaProblem(value, root, at)));
}

/** https://ai.google.dev/gemini-api/docs/thinking and https://ai.google.dev/api/generate-content#generationconfig */
function configProblem({ generationConfig: config }: PlainObject, model: string): string | undefined {
  if (!isPlainObject(config)) return undefined;
  const { maxOutputTokens: limit, temperature, thinkingConfig } = config;
  if (limit !== undefined && !(Number.isInteger(limit) && Number(limit) >= 1))
    return `max_output_tokens must be positive. Found: ${JSON.stringify(limit)}`;
  if (temperature !== undefined && !(Number(temperature) >= 0 && Number(temperature) <= 2)) {
    return `* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].`;
  }
  if (!isPlainObject(thinkingConfig)) return undefined;
  const { thinkingBudget: budget, thinkingLevel: level } = thinkingConfig;
  const isNew = /^gemini-(?:[3-9]|\d\d)/.test(model);
  if (!isNew && !/^gemini-2\.5-(?!flash-image)/.test(model)) return `Thinking is not enabled for models/${model}`;
  if (budget !== undefined && level !== undefined)
    return 'You can only set only one of thinking budget and thinking level.';
  if (level !== undefined && !isNew) return `Thinking level is not supported for this model.`;
  const [least, most] = /2\.5-pro/.test(model) ? [128, 32_768] : [0, 24_576];
  if (budget !== undefined && budget !== -1 && !isNew && !(Number(budget) >= least && Number(budget) <= most)) {
    return `The thinking budget ${JSON.stringify(budget)} is invalid. Please choose a value between ${least} and ${most}.`;
  }
  return undefined;
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && /^[\w+/-]*={0,2}$/.test(value);
}
