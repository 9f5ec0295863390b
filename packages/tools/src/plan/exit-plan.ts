import { cleanText } from '@loom/blocks';
import type { Tool } from '@loom/kernel';

/** Ends plan mode: a person reads the plan, and whoever approves it says how freely tools may act from then on. */
export const exitPlan: Tool = {
  name: 'exit_plan',
  description:
    'The conversation is in plan mode: read and search, but change nothing; calls that change something are denied. Once you know what to do, call this with the plan. A person approves it, which lets you carry it out, or says what to change.',
  parameters: {
    type: 'object',
    properties: {
      plan: { type: 'string', description: 'The plan in Markdown: the steps, the files, how it is tested.' },
    },
    required: ['plan'],
    additionalProperties: false,
  },
  group: 'other',
  effect: 'reads',
  modes: ['plan'],
  prepare: async ({ parameters }, { approvalMode }) => {
    const { plan } = parameters;
    if (approvalMode !== 'plan') return denied('The conversation is not in plan mode: go ahead without this tool.');
    if (typeof plan !== 'string' || plan.trim() === '') return denied('Give the plan as text: {"plan": "…"}.');
    return { permission: 'ask', preview: [{ type: 'text', text: cleanText(plan) }], modes: ['ask', 'edit', 'sandbox'] };
  },
  run: async (_invocation, { approvalMode = 'ask' }) => ({ content: [{ type: 'text', text: goAhead[approvalMode] }] }),
};

const goAhead = {
  plan: 'The plan was approved, but the conversation is in plan mode again: change nothing yet.',
  ask: 'The plan was approved: carry it out. A person is asked before you change or run something.',
  edit: 'The plan was approved: carry it out. Changes in the folder need no further approval.',
  sandbox: 'The plan was approved: carry it out. Everything runs in a sandbox, without further questions.',
};

function denied(text: string) {
  return { permission: 'deny' as const, preview: [{ type: 'text' as const, text }] };
}
