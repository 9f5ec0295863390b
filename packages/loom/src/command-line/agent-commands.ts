import type { Command } from './command.ts';

/** The options of `loom chat` about the folder that its tools work in. */
export const folderOptions = [
  { name: 'agent', value: 'name', summary: 'Let an agent on this machine answer (claude)' },
  { name: 'dir', value: 'folder', summary: 'Let tools work in this folder' },
  { name: 'mode', value: 'mode', summary: 'How freely: plan, ask, edit or sandbox' },
];

/** The commands about models that act: tasks for scripts, their tools, and the decisions of people. */
export const agentCommands: Command[] = [
  {
    name: 'run',
    synonyms: ['exec', 'task', 'agent'],
    summary: 'Have a model do a task with tools, for scripts',
    description: `Works in the current folder, or in --dir, and asks nobody: a call that would
need a person is denied unless a rule of yours or the mode allows it. The answer
goes to stdout; with --json every event is one line, and the last line tells how
it ended: {"root": …, "node": …, "outcome": …}.

Exit codes: 0 done, 3 done but calls were denied, 4 a spending limit was
reached, 1 anything else that kept it from its end, 2 a wrong command line.`,
    parameters: [{ name: 'task', summary: 'what to do; - reads standard input', isRepeated: true }],
    options: [
      { name: 'dir', value: 'folder', summary: 'Work in this folder (default: the current one)' },
      { name: 'mode', value: 'mode', summary: 'How freely: plan, ask (the default), edit or sandbox' },
      { name: 'model', short: 'm', value: 'name', summary: 'Model, such as anthropic/claude-sonnet-5' },
      { name: 'max-cost', value: 'dollars', summary: 'Stop once this much was spent' },
      { name: 'reasoning', value: 'level', summary: 'How hard to think: off, low, medium, high, max' },
      { name: 'preset', value: 'name', summary: 'Use the settings of this preset' },
      { name: 'attach', short: 'a', value: 'file', summary: 'Attach a file; may be repeated', isRepeated: true },
      { name: 'system', value: 'text', summary: 'System prompt' },
    ],
    examples: [
      { line: 'loom run "what does this project do?"', meaning: 'reads the current folder' },
      { line: 'loom run --mode edit "fix the typos in docs"', meaning: 'may change files' },
      { line: 'loom run --mode sandbox --max-cost 0.50 "make the tests pass"' },
      { line: 'loom run --json - < task.md', meaning: 'events as JSON lines' },
    ],
    load: async () => (await import('../commands/agents/run.ts')).runTask,
  },
  {
    name: 'tools',
    synonyms: ['tool'],
    summary: 'List the tools that models are offered, and why others are not',
    description: `Without an id, for a new conversation. ✔ marks the tools that a model is
offered; that depends on the model too, because some were trained on particular
tools. To choose the tools of a conversation, use /tools in a chat.`,
    parameters: [{ name: 'id', summary: 'a conversation', isOptional: true }],
    options: [
      { name: 'model', short: 'm', value: 'name', summary: 'For this model' },
      { name: 'dir', value: 'folder', summary: 'For a new conversation in this folder' },
    ],
    examples: [
      { line: 'loom tools --dir . --model openai/gpt-5' },
      { line: 'loom tools x7k2', meaning: 'those of a conversation' },
    ],
    load: async () => (await import('../commands/agents/tools.ts')).listTools,
  },
  {
    name: 'approvals',
    synonyms: ['approval', 'permissions', 'waiting'],
    summary: 'See and decide what waits for your permission',
    description: `Lists the calls that wait in all conversations, with the exact command or
change, and the latest decisions.`,
    fallback: 'list',
    subcommands: [
      {
        name: 'list',
        synonyms: ['ls'],
        summary: 'List what waits and what was decided (the default)',
        options: [{ name: 'limit', value: 'n', summary: 'Show only the latest n decisions (default 20)' }],
        load: async () => (await import('../commands/agents/approvals.ts')).listApprovals,
      },
      {
        name: 'allow',
        synonyms: ['approve', 'yes'],
        summary: 'Let a call run',
        parameters: [{ name: 'node', summary: 'the node of the call, such as node-4' }],
        options: [
          { name: 'for', value: 'reach', summary: 'once (the default), conversation, folder or anywhere' },
          { name: 'mode', value: 'mode', summary: 'For a plan: the mode that follows (ask, edit or sandbox)' },
        ],
        examples: [
          { line: 'loom approvals allow node-4' },
          { line: 'loom approvals allow node-4 --for conversation', meaning: 'and what the shown rule covers' },
        ],
        load: async () => (await import('../commands/agents/approvals.ts')).allowCall,
      },
      {
        name: 'deny',
        synonyms: ['no', 'refuse'],
        summary: 'Deny a call, with a reason for the model',
        parameters: [
          { name: 'node', summary: 'the node of the call' },
          { name: 'reason', summary: 'why', isRepeated: true },
        ],
        examples: [{ line: 'loom approvals deny node-4 "use npm instead"' }],
        load: async () => (await import('../commands/agents/approvals.ts')).denyCall,
      },
      {
        name: 'answer',
        summary: 'Answer the question of a call',
        parameters: [
          { name: 'node', summary: 'the node of the call' },
          { name: 'answer', summary: 'your answer', isRepeated: true },
        ],
        examples: [{ line: 'loom approvals answer node-4 blue' }],
        load: async () => (await import('../commands/agents/approvals.ts')).answerCall,
      },
    ],
  },
];
