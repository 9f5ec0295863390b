import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';

/** The fields of an API message: each name, with the fields inside if its value is a message too. */
interface Fields {
  [name: string]: Fields | 'any';
}

// https://ai.google.dev/api/caching#Part; `data` is one of the fields of partData.
const blob: Fields = { mimeType: 'any', data: 'any', displayName: 'any' };
const fileData: Fields = { mimeType: 'any', fileUri: 'any', displayName: 'any' };

export const partData = {
  text: 'any',
  inlineData: blob,
  fileData,
  functionCall: { id: 'any', name: 'any', args: 'any' },
  functionResponse: {
    id: 'any',
    name: 'any',
    response: 'any',
    parts: { inlineData: blob, fileData },
    willContinue: 'any',
    scheduling: 'any',
  },
  executableCode: { id: 'any', language: 'any', code: 'any' },
  codeExecutionResult: { id: 'any', outcome: 'any', output: 'any' },
  toolCall: { id: 'any', toolType: 'any', args: 'any' },
  toolResponse: { id: 'any', toolType: 'any', response: 'any' },
} satisfies Fields;

const part: Fields = {
  ...partData,
  thought: 'any',
  thoughtSignature: 'any',
  partMetadata: 'any',
  videoMetadata: 'any',
  mediaResolution: 'any',
};

// https://ai.google.dev/api/generate-content#request-body
const requestFields: Fields = {
  contents: { role: 'any', parts: part },
  systemInstruction: { role: 'any', parts: part },
  tools: {
    functionDeclarations: {
      name: 'any',
      description: 'any',
      behavior: 'any',
      parameters: 'any',
      parametersJsonSchema: 'any',
      response: 'any',
      responseJsonSchema: 'any',
    },
    googleSearch: 'any',
    googleSearchRetrieval: 'any',
    codeExecution: 'any',
    urlContext: 'any',
    fileSearch: 'any',
    computerUse: 'any',
    googleMaps: 'any',
    mcpServers: 'any',
  },
  toolConfig: {
    functionCallingConfig: { mode: 'any', allowedFunctionNames: 'any' },
    retrievalConfig: 'any',
    includeServerSideToolInvocations: 'any',
  },
  safetySettings: { category: 'any', threshold: 'any', method: 'any' },
  generationConfig: {
    stopSequences: 'any',
    responseMimeType: 'any',
    responseSchema: 'any',
    responseJsonSchema: 'any',
    responseModalities: 'any',
    candidateCount: 'any',
    maxOutputTokens: 'any',
    temperature: 'any',
    topP: 'any',
    topK: 'any',
    seed: 'any',
    presencePenalty: 'any',
    frequencyPenalty: 'any',
    responseLogprobs: 'any',
    logprobs: 'any',
    enableEnhancedCivicAnswers: 'any',
    speechConfig: 'any',
    thinkingConfig: { includeThoughts: 'any', thinkingBudget: 'any', thinkingLevel: 'any' },
    imageConfig: 'any',
    mediaResolution: 'any',
  },
  cachedContent: 'any',
  model: 'any',
  serviceTier: 'any',
  store: 'any',
  // A field of the same service on Vertex AI, whose requests are recorded beside those of the Gemini API.
  labels: 'any',
};

/** Returns the request with names in camel case, since the API reads both spellings; free-form values are left unchanged. */
export function normalize(value: unknown, fields: Fields | 'any' = requestFields): unknown {
  if (fields === 'any') return value;
  if (Array.isArray(value)) return value.map((item) => normalize(item, fields));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = camelCase(key);
      return [name, normalize(inner, fields[name] ?? 'any')];
    }),
  );
}

/** Returns the first field that the API does not have, as `Unknown name "id" at 'contents[1].parts[0]'`. */
export function unknownField(value: unknown, at = '', fields: Fields | 'any' = requestFields): string | undefined {
  if (fields === 'any') return undefined;
  if (Array.isArray(value)) return firstOf(value, (item, index) => unknownField(item, `${at}[${index}]`, fields));
  if (!isPlainObject(value)) return undefined;
  return firstOf(Object.entries(value), ([name, inner]) => {
    const known = fields[name];
    if (known === undefined) return `Unknown name "${name}"${at === '' ? '' : ` at '${at}'`}: Cannot find field.`;
    return unknownField(inner, at === '' ? name : `${at}.${name}`, known);
  });
}

/** Returns the first problem in a list. */
export function firstOf<T>(
  items: readonly T[],
  check: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function listOf(value: unknown): PlainObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isPlainObject);
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_found, letter: string) => letter.toUpperCase());
}
