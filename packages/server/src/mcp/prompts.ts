import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import type { Caller, LoomEngine } from '@loom/kernel';
import { conversationUri, readResource } from './resources.ts';

type Calls = Pick<LoomEngine, 'call'>;
type Arguments = Readonly<Record<string, string>>;
type Message = GetPromptResult['messages'][number];

interface Job {
  prompt: Prompt;
  /** Returns the task of the model, and the address of the resource to read first. */
  write(given: Arguments): { task: string; reads?: string };
}

const conversation = {
  name: 'conversation',
  description: 'The id of the conversation. Clients that complete arguments also find it by its title.',
  required: true,
};

/** Common jobs, written out once so that any model does them well. */
const jobs: readonly Job[] = [
  {
    prompt: {
      name: 'summarize_conversation',
      title: 'Summarize a conversation',
      description:
        'Summarizes what was asked, decided and left open in a conversation, with the ids of the relevant messages.',
      arguments: [
        conversation,
        { name: 'focus', description: 'What matters most. Default: decisions and open questions.' },
      ],
    },
    write: ({ conversation: root = '', focus }) => ({
      reads: conversationUri(root),
      task: `Summarize the conversation below in at most 300 words${focus === undefined ? '' : `, with a focus on: ${focus}`}. Say first what it was about and what came of it, then list decisions, then open questions. Give the id of the message behind each statement. Say nothing that it does not say.`,
    }),
  },
  {
    prompt: {
      name: 'continue_conversation',
      title: 'Continue a conversation',
      description: 'Continues a conversation from its end and adds the next message.',
      arguments: [
        conversation,
        { name: 'instruction', description: 'What to do next. Default: answer whatever is still open.' },
      ],
    },
    write: ({ conversation: root = '', instruction }) => ({
      reads: conversationUri(root),
      task: `Take up the conversation below where it ended. ${instruction ?? 'Answer what is open at its end.'} Then add your answer with node_append: parent is the id of the last message, messages is [{"role": "assistant", "content": "…"}]. If that is refused because a turn is running, wait and try once more; add nothing anywhere else.`,
    }),
  },
  {
    prompt: {
      name: 'find_and_quote',
      title: 'Find and quote',
      description: 'Finds where something was said in all conversations, and quotes it with its source.',
      arguments: [
        { name: 'query', description: 'What to look for, in plain words.', required: true },
        { name: 'conversation', description: 'The id of the only conversation to look into. Default: all.' },
      ],
    },
    write: ({ query = '', conversation: root }) => ({
      task: `Find where this was said: ${JSON.stringify(query)}. Call kernel_search with likely words, ignore_case true${root === undefined ? '' : ` and roots [${JSON.stringify(root)}]`}; try other words and spellings before you say that there is nothing. Read each promising block with block_read. Quote the passages word for word, the most fitting first, each with the id of its block, who said it and when. Keep quotes apart from what you say about them.`,
    }),
  },
  {
    prompt: {
      name: 'review_branches',
      title: 'Review branches',
      description: 'Compares the branches of a conversation and recommends one to continue with.',
      arguments: [conversation],
    },
    write: ({ conversation: root = '' }) => ({
      reads: conversationUri(root),
      task: `The conversation ${root} may have several branches; the newest one is below. Call tree_recent_leaves with root ${JSON.stringify(root)} to find the ends of all of them, and tree_diff for each other end against the newest one. Say for each branch where it parts, what it does differently and what is better and worse about it. Close with the one to go on with, its last message id, and why. Change nothing.`,
    }),
  },
];

export const prompts: Prompt[] = jobs.map(({ prompt }) => prompt);

export async function getPrompt(
  engine: Calls,
  caller: Caller,
  name: string,
  given: Arguments = {},
): Promise<GetPromptResult> {
  const job = jobs.find(({ prompt }) => prompt.name === name);
  if (job === undefined) {
    const names = prompts.map((prompt) => prompt.name).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}. There are ${names}.`);
  }
  const missing = job.prompt.arguments?.find((argument) => argument.required === true && !given[argument.name]);
  if (missing !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} needs the argument ${missing.name}.`);
  const { task, reads } = job.write(given);
  const messages: Message[] = [{ role: 'user', content: { type: 'text', text: task } }];
  if (reads !== undefined) {
    const resource = await readResource(engine, caller, reads);
    messages.push({ role: 'user', content: { type: 'resource', resource } });
  }
  return { description: job.prompt.description, messages };
}
