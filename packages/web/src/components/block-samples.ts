import type { MessageBlock } from '@loom/blocks';
import { withId } from './made-up.ts';
import { code, manyChanges, oneChange, prose, sources } from './samples.ts';

export interface BlockSample {
  readonly caption: string;
  readonly block: MessageBlock;
  readonly isOpen?: boolean;
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Returns every kind of block as it looks outside of a group. */
export function blockSamples(): BlockSample[] {
  const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  const thought = { type: 'thinking', text: 'Since Sunday: the clocks went back on 1 November in America…' } as const;
  const samples: readonly Omit<BlockSample, 'id'>[] = [
    { caption: 'Text', block: { type: 'text', text: prose } },
    { caption: 'Text that grows', block: { type: 'text', text: 'Both agree with the published', status: 'running' } },
    { caption: 'Thinking', block: { ...thought, status: 'running', created_at: at(8) } },
    { caption: 'Thought', block: { ...thought, created_at: at(20), ended_at: at(8) } },
    { caption: 'Thought, open', block: { ...thought, created_at: at(20), ended_at: at(8) }, isOpen: true },
    {
      caption: 'Code',
      block: { type: 'code', content: code, filename: 'src/forecast.ts', start_line: 41, total_lines: 214 },
    },
    { caption: 'One changed file', block: { type: 'file-change', changes: [...oneChange] } },
    {
      caption: 'Changed files: added, modified, deleted, renamed',
      block: { type: 'file-change', changes: [...manyChanges] },
    },
    { caption: 'Command', block: { type: 'command', command: 'ls', stdout: 'README.md\nsrc\n', exit_code: 0 } },
    { caption: 'Sources', block: { type: 'sources', sources: [...sources] } },
    { caption: 'Error', block: { type: 'error', code: 'overloaded', message: 'Overloaded' } },
    {
      caption: 'Error with a time to wait',
      block: { type: 'error', code: 'rate-limit', message: 'Rate limit reached', detail: { retry_after_ms: 38_000 } },
    },
    {
      caption: 'Text that was interrupted',
      block: {
        type: 'text',
        text: 'Lord Howe Island is the interesting one: its clocks move by only',
        status: 'error',
        error: { code: 'interrupted', message: 'The server stopped.' },
      },
    },
    {
      caption: 'Picture',
      block: {
        type: 'image',
        media_type: 'image/png',
        filename: 'spring-tide.png',
        url: `data:image/png;base64,${pixel}`,
      },
    },
    {
      caption: 'Picture on another server',
      block: { type: 'image', media_type: 'image/png', url: 'https://example.org/tide.png' },
    },
    { caption: 'Raw', block: { type: 'raw', source: 'codex', value: { type: 'item.completed', hologram: true } } },
  ];
  return samples.map(({ block, ...rest }) => ({ ...rest, block: withId(block) }));
}
