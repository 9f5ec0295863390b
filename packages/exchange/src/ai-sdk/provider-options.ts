import type { PlainObject } from '@loom/blocks';
import { isJsonObject } from './json.ts';
import { isProviderOptions } from './model-message.ts';
import type { ProviderOptions } from './model-message.ts';
import type { TakeNote } from './note.ts';
import { SDK_KEY } from './sdk-mark.ts';

/**
 * Returns a block's provider data as provider options, each value unchanged. The SDK would refuse data that is not a JSON object, so it stays behind
 * and is noted.
 */
export function providerOptionsOf(
  block: { provider?: PlainObject },
  path: string,
  take: TakeNote,
): ProviderOptions | undefined {
  const options: [string, ProviderOptions[string]][] = [];
  for (const [provider, data] of Object.entries(block.provider ?? {})) {
    if (provider === SDK_KEY) continue;
    if (isJsonObject(data)) options.push([provider, data]);
    else
      take({
        reason: 'provider-data-left-out',
        path,
        message: `Data of ${provider} was left out: it is not a JSON object.`,
      });
  }
  return options.length === 0 ? undefined : Object.fromEntries(options);
}

/** A `providerOptions` field for a part, or no field. */
export function optionsField(options: unknown): { providerOptions?: ProviderOptions } {
  return isProviderOptions(options) ? { providerOptions: options } : {};
}

/**
 * Returns provider metadata of the SDK as a block's `provider` field, or no field without metadata. Loom's own key is not taken from outside: a
 * foreign mark could change how the block is written.
 */
export function providerField(
  metadata: ProviderOptions | undefined,
  path: string,
  take: TakeNote,
): { provider?: PlainObject } {
  if (metadata === undefined || Object.keys(metadata).length === 0) return {};
  if (!Object.hasOwn(metadata, SDK_KEY)) return { provider: metadata };
  take({
    reason: 'provider-data-left-out',
    path,
    message: `Provider data was left out: it may not use the key ${SDK_KEY}.`,
  });
  const { [SDK_KEY]: _claimed, ...others } = metadata;
  return Object.keys(others).length === 0 ? {} : { provider: others };
}
