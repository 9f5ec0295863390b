import { isPlainObject } from '@loom/blocks';
import type { StreamPart } from '../api/api.ts';

/**
 * Reads an error within a stream, as `{message, type, code}` or as mere text. It has no status, so its words must reveal the status it would have
 * had: https://platform.openai.com/docs/guides/error-codes
 */
export function streamError(error: unknown): StreamPart {
  if (!isPlainObject(error)) return { type: 'error', error: { statusCode: 500, message: String(error) } };
  const { message, type, code } = error;
  return { type: 'error', error: { statusCode: statusOf(code, type), message, type, code } };
}

function statusOf(code: unknown, type: unknown): number {
  if (Number(code) >= 400 && Number(code) < 600) return Number(code);
  const words = `${String(code)} ${String(type)}`.toLowerCase();
  return statuses.find(([pattern]) => pattern.test(words))?.[1] ?? 500;
}

const statuses: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|insufficient_quota|subscription_sharing_usage/, 429],
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/overload/, 503],
  [/timeout/, 504],
  [/server_error/, 500],
  [/invalid|bad_?request|context_length/, 400],
];
