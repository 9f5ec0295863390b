import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ToolBlock } from '../../content-block.ts';
import { viewsOfItem } from '../item.ts';
import { viewsOfToolCall, viewsOfToolResult } from '../tool-views.ts';

const fixtureFile = z.object({
  results: z.record(
    z.string(),
    z.object({
      scenario: z.string(),
      call: z.object({ name: z.string(), parameters: z.unknown() }),
      result: z.object({
        text: z.string().exactOptional(),
        native: z.unknown().exactOptional(),
        is_error: z.boolean().exactOptional(),
      }),
    }),
  ),
  items: z.record(z.string(), z.object({ scenario: z.string(), item: z.unknown() })),
});

/**
 * Excerpts of recorded sessions of an agent, by name. Only the paths of the recording machine are replaced, and the
 * pictures where a note says so.
 */
export function readFixtures(agent: 'claude-code' | 'codex' | 'other-agents') {
  const text = readFileSync(new URL(`../fixtures/${agent}.json`, import.meta.url), 'utf8');
  const { results, items } = fixtureFile.parse(JSON.parse(text));
  return {
    viewsOfCall: (name: string): ToolBlock[] => viewsOfToolCall(pick(results, name).call),
    viewsOfResult: (name: string): ToolBlock[] =>
      viewsOfToolResult(pick(results, name).call, pick(results, name).result),
    viewsOfItem: (name: string): ToolBlock[] => viewsOfItem(pick(items, name).item),
    itemOf: (name: string): unknown => pick(items, name).item,
    results: Object.values(results),
    items: Object.values(items),
  };
}

function pick<T>(entries: Readonly<Record<string, T>>, name: string): T {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`no fixture is called "${name}"`);
  return entry;
}
