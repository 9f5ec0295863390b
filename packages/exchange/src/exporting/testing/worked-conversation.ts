import type { ExportSource } from '../source.ts';
import { sampleSource } from './sample-source.ts';
import type { SampleNode } from './sample-source.ts';

const nodes: readonly SampleNode[] = [
  { name: 'ask', role: 'user', blocks: [{ type: 'text', text: 'Read both files.' }] },
  {
    name: 'answer',
    parent: 'ask',
    role: 'assistant',
    blocks: [
      { type: 'text', text: 'I read them.' },
      { type: 'tool-use', id: 'call.1', name: 'read_file', parameters: { path: 'a' } },
      { type: 'tool-use', id: 'call.2', name: 'read_file', parameters: { path: 'b' } },
    ],
  },
  {
    name: 'result-2',
    parent: 'answer',
    role: 'tool',
    tool_call_id: 'call.2',
    tool: 'error',
    is_error: true,
    blocks: [{ type: 'text', text: 'There is no b.' }],
  },
  {
    name: 'result-1',
    parent: 'result-2',
    role: 'tool',
    tool_call_id: 'call.1',
    tool: 'result',
    blocks: [
      { type: 'text', text: 'alpha' },
      { type: 'code', content: 'alpha', filename: 'a' },
    ],
  },
  { name: 'said', parent: 'result-1', role: 'assistant', blocks: [{ type: 'text', text: 'It says alpha.' }] },
  { name: 'thanks', parent: 'said', role: 'user', blocks: [{ type: 'text', text: 'Thanks.' }] },
  { name: 'other', parent: 'said', role: 'user', blocks: [{ type: 'text', text: 'And c?' }] },
];

/** A conversation: the user asks, a model calls two tools of which one fails, answers, and the user continues in two ways. */
export function workedConversation(): ExportSource {
  return sampleSource({ root: { title: 'Two files' }, nodes, bookmarks: { said: 'the answer' } });
}
