import type { ProviderRequest, ToolDescription } from '@loom/kernel';
import type { Api, ApiRequest } from '../api/api.ts';
import { objectSchema } from '../api/request/function-tool.ts';
import { wellFormedJson } from '../api/request/json.ts';
import type { ToolNames } from '../api/request/tool-names.ts';
import { toolNames, toResponsesRequest } from '../openai/to-request.ts';
import { responsesApi } from '../openai/index.ts';
import { planModels } from './plan-models.ts';

/**
 * The public Responses API, as it is for requests that a plan pays:
 * https://developers.openai.com/siwc/token-sharing-open-source/preview-limitations
 */
export const planApi: Api = {
  ...responsesApi,
  models: planModels,
  hasProviderTools: () => true,
  toRequest: toPlanRequest,
};

/** Fields that are refused there, as the SDK spells its options for them. */
const refusedOptions: ReadonlySet<string> = new Set([
  'background',
  'conversation',
  'maxToolCalls',
  'metadata',
  'moderation',
  'previousResponseId',
  'prompt',
  'promptCacheOptions',
  'promptCacheRetention',
  'safetyIdentifier',
  'topLogprobs',
  'logprobs',
  'truncation',
  'user',
]);

/**
 * Converts a request. Pure. Instructions go into their own field, since messages of the system are refused; function tools go into an item of the
 * input; what the API refuses is left out, and said where a person has asked for it.
 */
function toPlanRequest(request: ProviderRequest, files: ReadonlyMap<string, Uint8Array>): ApiRequest {
  const { systemPrompt, tools: offered, ...rest } = request;
  const base = toResponsesRequest({ ...rest, tools: offered }, files);
  const names = toolNames(request);
  const { maxOutputTokens: _limit, temperature, topP, tools: native = [], ...options } = base.options;
  const given = options.providerOptions?.['openai'] ?? {};
  const instructions = systemPrompt?.trim() === '' ? undefined : systemPrompt?.toWellFormed();
  const own = Object.entries(given).filter(([name]) => !refusedOptions.has(name));
  const unused = [
    ...(temperature === undefined && topP === undefined ? [] : ['temperature']),
    ...Object.keys(given).filter((name) => refusedOptions.has(name)),
  ];
  const searching = native.filter(({ type, name }) => type === 'provider' && name !== 'code_interpreter');
  const missing = native.some(({ name }) => name === 'code_interpreter') ? ['code_execution'] : [];
  return {
    ...base,
    options: {
      ...options,
      ...(searching.length === 0 ? {} : { tools: searching }),
      providerOptions: {
        ...options.providerOptions,
        openai: { ...Object.fromEntries(own), ...(instructions === undefined ? {} : { instructions }), store: false },
      },
    },
    exact: new Map(
      [...base.exact].map(([place, items]) => [
        place,
        offered.length === 0 ? items : `${toolItem(offered, names)},${items}`,
      ]),
    ),
    leftOut: [
      ...base.leftOut,
      ...[...unused, ...missing].map((name) => ({
        what: 'setting' as const,
        why: `Requests that a ChatGPT plan pays have no ${name}.`,
      })),
    ],
    toolName: (name) => names.fromWire(name),
  };
}

function toolItem(offered: readonly ToolDescription[], names: ToolNames): string {
  const tools = offered.map(({ name, description, parameters }) => ({
    type: 'function',
    name: names.toWire(name),
    description,
    parameters: objectSchema(parameters),
    strict: false,
  }));
  return wellFormedJson(JSON.stringify({ type: 'additional_tools', role: 'developer', tools }));
}
