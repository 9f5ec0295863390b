import type { ToolBlock } from '@loom/blocks';
import type { Question } from '@loom/kernel';
import type { ToolCardProps } from '../blocks/tools/ToolCardView.tsx';
import { madeCall, madeResult, took } from './made-up.ts';
import { code, failure, manyChanges, oneChange, sources, tests } from './samples.ts';

/** Every state of a call. */
export interface ToolSample extends ToolCardProps {
  readonly caption: string;
  readonly isOpen?: boolean;
}

const done = (blocks: readonly ToolBlock[], seconds = 7.1) => madeResult(blocks, took(seconds));
const since = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const run = (command: string) => madeCall('run_command', { command });

const twoQuestions: Question[] = [
  {
    text: 'Which Node versions must work?',
    several: true,
    choices: [
      { label: 'Node 22', detail: 'In maintenance until April 2027' },
      { label: 'Node 24' },
      { label: 'Node 20', detail: 'No longer supported upstream' },
    ],
  },
  {
    text: 'Where should the index be built?',
    choices: [
      { label: 'At deploy time', detail: 'One more build step, 0.2 s' },
      { label: 'On first request', detail: 'No build step, first visitor waits 0.4 s' },
    ],
  },
];

export function toolSamples(): ToolSample[] {
  const ended = { isLive: false };
  const preview: ToolBlock[] = [{ type: 'command', command: 'npm install @js-temporal/polyfill@0.5.1' }];
  return [
    {
      caption: 'Folded',
      call: run('npm test'),
      result: done([{ type: 'command', command: 'npm test', stdout: '112 passing', exit_code: 0 }]),
      ...ended,
    },
    {
      caption: 'Arguments still arriving',
      call: madeCall('edit_file', {}, { status: 'running', arguments: '{"file_path": "src/fore' }),
      result: undefined,
      isLive: true,
    },
    {
      caption: 'Running',
      call: run('npm run build'),
      result: madeResult(
        [{ type: 'command', command: 'npm run build', stdout: 'checking 214 files…', status: 'running' }],
        {
          tool: 'running',
          started_at: since(8),
        },
      ),
      isLive: true,
      isOpen: true,
    },
    {
      caption: 'Done, open',
      call: run('TZ=America/New_York npm test -- harmonics'),
      result: done([
        {
          type: 'command',
          command: 'TZ=America/New_York npm test -- harmonics',
          stdout: tests,
          stderr: failure,
          exit_code: 0,
        },
      ]),
      ...ended,
      isOpen: true,
    },
    {
      caption: 'Failed: opens by itself',
      call: run('npm test'),
      result: madeResult([{ type: 'command', command: 'npm test', stderr: failure, exit_code: 1, duration_ms: 6800 }], {
        tool: 'error',
        is_error: true,
      }),
      ...ended,
    },
    {
      caption: 'Failed inside the tool',
      call: madeCall('read_file', { file_path: 'src/tide.ts' }),
      result: madeResult([{ type: 'text', text: 'Error: no such file' }], { tool: 'error', is_error: true }),
      ...ended,
    },
    {
      caption: 'Denied',
      call: run('git push --force origin fix/dst'),
      result: madeResult([{ type: 'text', text: 'Do not push. I will do that myself.' }], {
        tool: 'denied',
        is_error: true,
        decided: { decision: 'denied', by: 'person', at: new Date().toISOString() },
      }),
      ...ended,
    },
    {
      caption: 'Interrupted',
      call: run('npm run migrate'),
      result: madeResult([], { tool: 'interrupted', is_error: true }),
      ...ended,
      isOpen: true,
    },
    {
      caption: 'Waits for you',
      call: run('npm install @js-temporal/polyfill@0.5.1'),
      result: madeResult([], { tool: 'waiting', ask: { kind: 'ask', preview } }),
      isLive: true,
    },
    {
      caption: 'Dangerous: no choice is offered first',
      call: run('rm -rf build && git push --force'),
      result: madeResult([], {
        tool: 'waiting',
        ask: { kind: 'ask', preview: [{ type: 'command', command: 'rm -rf build && git push --force' }] },
      }),
      isLive: true,
    },
    {
      caption: 'Waits with files',
      call: madeCall('edit_file', { file_path: 'src/forecast.ts' }),
      result: madeResult([], {
        tool: 'waiting',
        ask: { kind: 'ask', preview: [{ type: 'file-change', changes: [...oneChange] }] },
      }),
      isLive: true,
    },
    {
      caption: 'A question',
      call: madeCall('ask', {
        question: 'The old parser skips lines that it cannot read. What should the new one do with them?',
        options: [
          { label: 'Keep them and count them', description: 'A report at the end says how many and where.' },
          'Stop at the first one',
        ],
      }),
      result: madeResult([], { tool: 'waiting', ask: { kind: 'question', preview: [] } }),
      isLive: true,
    },
    {
      caption: 'Several questions',
      call: madeCall('ask', {}),
      result: madeResult([], { tool: 'waiting', ask: { kind: 'question', preview: [], questions: twoQuestions } }),
      isLive: true,
    },
    {
      caption: 'Answered',
      call: madeCall('ask', { questions: twoQuestions.map(({ text: question }) => ({ question })) }),
      result: madeResult([{ type: 'text', text: 'Node 22, Node 24\nAt deploy time' }], {
        tool: 'result',
        decided: {
          decision: 'answered',
          by: 'Jo',
          at: new Date().toISOString(),
          questions: twoQuestions,
          answers: [{ chosen: ['Node 22', 'Node 24'] }, { text: 'At deploy time, but only on main' }],
        },
      }),
      ...ended,
      isOpen: true,
    },
    {
      caption: 'Waits, with a rule that can be remembered',
      call: { ...run('npm run compare -- --file data/stations-full.ndjson'), executed: 'provider' },
      result: madeResult([], {
        tool: 'waiting',
        ask: {
          kind: 'ask',
          preview: [{ type: 'command', command: 'npm run compare -- --file data/stations-full.ndjson' }],
          rules: [{ tool: 'run_command', command: 'npm run compare *', effect: 'allow' }],
        },
      }),
      isLive: true,
    },
    {
      caption: 'Allowed with other arguments, and from now on',
      call: run('npm ci'),
      result: madeResult(
        [{ type: 'command', command: 'npm ci --ignore-scripts', stdout: 'added 212 packages', exit_code: 0 }],
        {
          tool: 'result',
          decided: {
            decision: 'approved',
            by: 'person',
            at: new Date().toISOString(),
            scope: 'conversation',
            rules: [{ tool: 'run_command', command: 'npm ci', effect: 'allow' }],
            arguments_changed: '{"command":"npm ci --ignore-scripts"}',
          },
        },
      ),
      ...ended,
      isOpen: true,
    },
    { caption: 'Next in line', call: run('npm run lint'), result: madeResult([], { tool: 'waiting' }), isLive: true },
    { caption: 'Never run', call: run('npm publish'), result: undefined, ...ended, isOpen: true },
    {
      caption: 'Run by the provider',
      call: madeCall('web_search', { query: 'days with 23 or 25 hours' }, { executed: 'provider' }),
      result: done([{ type: 'sources', sources: [...sources] }], 1.2),
      ...ended,
      isOpen: true,
    },
    {
      caption: 'Left out of context',
      call: madeCall('Read', { file_path: 'src/extremes.ts' }),
      result: done([{ type: 'code', content: code, filename: 'src/extremes.ts' }], 0.1),
      ...ended,
      isLeftOut: true,
    },
    {
      caption: 'MCP tool, input as JSON',
      call: madeCall('mcp__gauges__query', { station: 'Brest', from: '2026-11-01' }),
      result: done([{ type: 'text', text: '12 readings' }], 0.2),
      ...ended,
      isOpen: true,
    },
    {
      caption: 'Changes',
      call: madeCall('apply_patch', { path: '4 files' }),
      result: done([{ type: 'file-change', changes: [...manyChanges] }], 0.3),
      ...ended,
      isOpen: true,
    },
    {
      caption: 'Plan',
      call: madeCall('todo', {}),
      result: done(
        [
          {
            type: 'todo',
            items: [
              { content: 'Reproduce with a fixed time zone', status: 'completed' },
              { content: 'Run the tests in four zones', status: 'in_progress' },
              { content: 'Note the change in CHANGELOG.md', status: 'pending' },
            ],
          },
        ],
        0.1,
      ),
      ...ended,
      isOpen: true,
    },
    {
      caption: 'A large output, fetched on demand',
      call: run('npm ls --all'),
      result: done(
        [
          {
            type: 'command',
            command: 'npm ls --all',
            stdout: {
              blob: `sha256:${'0'.repeat(64)}`,
              bytes: 212_000,
              preview: 'tides@0.9.2\n├─┬ typescript@5.9.3\n│ └── …',
            },
            exit_code: 0,
          },
        ],
        2.4,
      ),
      ...ended,
      isOpen: true,
    },
  ];
}
