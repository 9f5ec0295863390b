import { isPlainObject } from '@loom/blocks';
import { refuseMessages } from '../emulators/anthropic-rules.ts';
import type { Received } from '../emulators/core.ts';
import { requestProblem } from '../emulators/google-rules.ts';
import { refuseChat } from '../emulators/openai-chat-rules.ts';
import { refuseResponse } from '../emulators/openai-responses-rules.ts';
import type { RecordedRequest, WireName } from './recording.ts';

/** Returns the reason an emulator would refuse a recorded request; `undefined` if it would not, or if the two cannot be compared. */
export function refusalOf(wire: WireName, { url, body }: RecordedRequest): string | undefined {
  const problem = isOwn(url) && isPlainObject(body) ? emulators[wire](url, body) : undefined;
  return problem === undefined || beyond.test(problem) ? undefined : problem;
}

/** Returns true for the vendor's own server: other servers of the same API accept different requests. */
function isOwn(url: string): boolean {
  return (
    !url.includes('/openai/') &&
    /^https:\/\/(?:api\.anthropic\.com|api\.openai\.com|[\w-]+\.googleapis\.com)\//.test(url)
  );
}

const emulators: Record<WireName, (url: string, json: object) => string | undefined> = {
  google: (url, json) => requestProblem(json, /models\/([^/:]+)/.exec(url)?.[1] ?? ''),
  anthropic: (_url, json) => refuseMessages(received('/v1/messages', json))?.message,
  'openai-chat': (_url, json) => refuseChat(received('/v1/chat/completions', json))?.message,
  'openai-responses': (_url, json) => refuseResponse(received('/v1/responses', json))?.message,
};

/**
 * Refusals for signatures and seals that no emulator made, for data stored at the server, and for items, models and empty texts that Loom never
 * sends.
 */
const beyond =
  /Invalid `signature`|encrypted content|No tool call found|'(?:compaction|additional_tools|tool_search_call)'|computer-use-preview|empty string/;

function received(path: string, json: object): Received {
  const headers = { authorization: 'Bearer key', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
  return { method: 'POST', path, headers, body: JSON.stringify(json), json, isLeft: Promise.resolve(false) };
}
