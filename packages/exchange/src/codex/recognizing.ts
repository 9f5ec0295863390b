import type { PlainObject } from '@loom/blocks';
import { objectAt, textAt } from '../foreign/fields.ts';
import { firstObjects } from '../foreign/line-reading.ts';

/**
 * Returns true if a file is a session of Codex, by its beginning; its name matters only if the beginning could be something else. The log of Codex's
 * screen (`{ts, dir, kind}`) is not a session.
 */
export function recognizesRollout(name: string, beginning: string): boolean {
  const isNamed = /(?:^|[\\/])rollout-[^\\/]*\.jsonl(?:\.zst)?$/.test(name);
  return firstObjects(beginning).some((line) => {
    const type = textAt(line, 'type');
    if (objectAt(line, 'payload') !== undefined) return lineTypes.has(type ?? '');
    if (type === undefined) return isBareMeta(line);
    return isNamed && bareTypes.has(type) && (isBareItem(line) || textAt(line, 'role') !== undefined);
  });
}

/** Returns true if a file is the output of `codex exec --json`. */
export function recognizesExec(_name: string, beginning: string): boolean {
  return firstObjects(beginning).some((line) => {
    const type = textAt(line, 'type') ?? '';
    if (type === 'thread.started' || type === 'thread.resumed')
      return textAt(line, 'thread_id', 'threadId') !== undefined;
    if (/^item\.(?:started|updated|completed|created)$/.test(type)) return objectAt(line, 'item') !== undefined;
    return /^turn\.(?:started|completed|failed)$/.test(type);
  });
}

const lineTypes: ReadonlySet<string> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
  'token_usage_record',
]);
const bareTypes: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call', 'function_call_output']);

/** The first line of August 2025. */
function isBareMeta(line: PlainObject): boolean {
  return textAt(line, 'id') !== undefined && textAt(line, 'timestamp') !== undefined && line.instructions !== undefined;
}

function isBareItem(line: PlainObject): boolean {
  return line.summary !== undefined || textAt(line, 'call_id') !== undefined;
}
