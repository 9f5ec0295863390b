import { isPlainObject } from '@loom/blocks';
import type { PlainObject, Role } from '@loom/blocks';
import { sourceInfo, usage } from '@loom/kernel/logs';
import type { SourceInfo, Usage } from '@loom/kernel';

/** The model that a root was made for: the first three generations name it only there. */
export interface RootModel {
  provider: string;
  model: string;
}

/** The model that a legacy root's config names. */
export function modelOfConfig(config: PlainObject): RootModel {
  return { provider: textOr(config['provider'] ?? config['providerType'], ''), model: textOr(config['model'], '') };
}

/**
 * Returns the source of a message, in the kernel's terms. Early generations gave a user's message the source of the answer to it, usage included;
 * since a call is paid for once, the user's message gets the user as its source again. `known` is false if the file has no readable source.
 */
export function readSource(value: unknown, role: Role, rootModel: RootModel): { source: SourceInfo; known: boolean } {
  const info = isPlainObject(value) ? value : {};
  switch (info['type']) {
    case 'user':
      return { source: role === 'tool' ? toolSource(info) : { type: 'user' }, known: true };
    case 'tool_result':
      return { source: role === 'tool' ? toolSource(info) : defaultSource(role, rootModel), known: role === 'tool' };
    case 'model':
      return {
        source: role === 'assistant' ? modelSource(info, rootModel) : defaultSource(role, rootModel),
        known: true,
      };
    case 'split':
      return { source: defaultSource(role, rootModel), known: true };
    default:
      return { source: defaultSource(role, rootModel), known: false };
  }
}

function defaultSource(role: Role, { provider, model }: RootModel): SourceInfo {
  switch (role) {
    case 'user':
      return { type: 'user' };
    case 'tool':
      return toolSource({});
    case 'assistant':
      return { type: 'model', provider, model_name: model, parameters: {} };
  }
}

function toolSource(info: PlainObject): SourceInfo {
  return { type: 'tool_result', tool_name: textOr(info['tool_name'], '') };
}

function modelSource(info: PlainObject, rootModel: RootModel): SourceInfo {
  const parameters = isPlainObject(info['parameters']) ? info['parameters'] : {};
  const { tools, tool_choice, finish_reason } = info;
  const spent = readUsage(info['usage']);
  return sourceInfo.parse({
    type: 'model',
    provider: textOr(info['provider'], rootModel.provider),
    model_name: textOr(info['model_name'] ?? parameters['model'], rootModel.model),
    parameters,
    ...(Array.isArray(tools) ? { tools } : {}),
    ...(tool_choice === undefined ? {} : { tool_choice }),
    ...(typeof finish_reason === 'string' ? { finish_reason } : {}),
    ...(spent === undefined ? {} : { usage: spent }),
  });
}

/** Reads the valid counts; other values stay with the source unchanged. */
function readUsage(value: unknown): Usage | undefined {
  if (!isPlainObject(value)) return undefined;
  const known = Object.entries(value).filter(([key]) => Object.hasOwn(usage.shape, key));
  const parsed = usage.safeParse(Object.fromEntries(known));
  return parsed.success ? parsed.data : undefined;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
