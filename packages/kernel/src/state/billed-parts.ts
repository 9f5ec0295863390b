import { isPlainObject } from '@loom/blocks';
import type { Usage } from '../node-metadata.ts';

/** The separately priced parts of a call that `usage` has no field for. */
export interface BilledParts {
  /** The cache writes that are kept for an hour. */
  cache_write_1h_tokens: number;
  web_searches: number;
}

/** Reads them from the provider's own report, which is kept with the call. Only Anthropic's says them. */
export function billedParts({ raw, cache_write_tokens: written = 0 }: Usage): BilledParts {
  const report = isPlainObject(raw) ? raw : {};
  const [writes, tools] = [report['cache_creation'], report['server_tool_use']];
  const hourly = isPlainObject(writes) ? count(writes['ephemeral_1h_input_tokens']) : 0;
  return {
    // The report is that of the last request; what an interrupted call wrote in all may be less.
    cache_write_1h_tokens: Math.min(hourly, written),
    web_searches: isPlainObject(tools) ? count(tools['web_search_requests']) : 0,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
