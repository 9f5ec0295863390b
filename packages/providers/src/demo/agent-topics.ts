import { fromBase64 } from '@loom/blocks';
import type { AssistantBlock, ToolBlock } from '@loom/blocks';
import { EventWriter } from '@loom/kernel';
import type { PermissionRule, ProviderEvent, SteeringMessage } from '@loom/kernel';
import { quote } from './script.ts';
import type { Scene, Script } from './script.ts';
import type { Topic } from './topic.ts';

const overload: Topic = {
  example: 'be overloaded for a moment',
  description: 'a provider that tries again, and then answers',
  pattern: /\boverload\w*|\btry it again\b/iu,
  write: () =>
    play(async function* ({ wait }) {
      for (const attempt of [1, 2]) {
        const delay = attempt * 1000;
        yield { type: 'retrying', attempt, delay_ms: delay, reason: 'The demo pretends to be overloaded.' };
        await wait(delay);
      }
      yield* say('answer', 'At the third try I got through. You saw me wait.');
    }),
};

const ownSearch: Topic = {
  example: 'search by yourself',
  description: 'a call that the model runs itself; Loom only shows it',
  pattern: /\bby yourself\b|\byour own (?:tools?|search)\b/iu,
  write: () =>
    play(async function* ({ wait, newCallId }) {
      const call = newCallId();
      yield* say('answer', 'I have a search of my own.');
      yield ownCall(call, 'web_search', { query: 'looms' });
      yield { type: 'tool-state', call, state: 'running' };
      await wait(600);
      yield resultOf(call, { type: 'text', text: '1. The power loom <https://example.org/power-loom>' });
      yield { type: 'tool-state', call, state: 'result' };
      yield* say(
        'report',
        'It found one page, about the power loom. You were not asked, because nothing ran on your side.',
      );
    }),
};

const subagent: Topic = {
  example: 'send out an agent',
  description: 'another agent works in a conversation of its own',
  pattern: /\bsub-?agents?\b|\bsend out\b|\bdelegate\b/iu,
  write: () =>
    play(async function* ({ wait, newCallId }) {
      const call = newCallId();
      const child = 'agent-1';
      yield { type: 'note', data: { session: call } };
      yield* say('answer', 'I send out an agent to count the threads.');
      yield ownCall(call, 'agent', { task: 'Count the threads' });
      yield { type: 'child', child, call, prompt: 'Count the threads.' };
      for (const event of say('counting', 'One, two, three … a hundred and forty-four threads.')) {
        await wait(300);
        yield { ...event, child };
      }
      yield resultOf(call, { type: 'text', text: '144 threads' });
      yield { type: 'tool-state', call, state: 'result' };
      yield* say('report', 'My agent counted **144 threads**. What it said is a conversation of its own.');
    }),
};

const secondThought: Topic = {
  example: 'change your mind',
  description: 'words that are taken back while you read them',
  pattern: /\bchange your mind\b|\btake (?:it|that) back\b/iu,
  write: () =>
    play(async function* ({ wait }) {
      yield* say('answer', 'The answer is forty-one.');
      await wait(1500);
      yield { type: 'retract', key: 'answer' };
      yield* say('answer', 'The answer is forty-two. I took back what I said first; the log still knows it.', 'second');
    }),
};

const picture: Topic = {
  example: 'draw a picture',
  description: 'an image, kept as a blob',
  pattern: /\bdraw\b|\bpicture\b|\bimage\b/iu,
  write: () =>
    play(async function* ({ call }) {
      yield* say('answer', 'Here is a very small one:');
      const blob = await call.blobs.put(fromBase64(onePixel));
      yield block('answer', { type: 'image', media_type: 'image/png', blob, filename: 'thread.png' });
    }),
};

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const listener: Topic = {
  example: 'listen while you count',
  description: 'an answer that hears what you say in the middle of it',
  pattern: /\blisten\b/iu,
  write: () =>
    play(async function* ({ wait, call }) {
      const heard: SteeringMessage[] = [];
      const hearing = (async () => {
        for await (const message of call.steering) {
          heard.push(message);
          return;
        }
      })();
      hearing.catch(() => {});
      const counting = new EventWriter('counting');
      for (let count = 1; count <= 20 && heard.length === 0; count += 1) {
        yield* counting.text('numbers', `${count}, `);
        await wait(400);
      }
      const [message] = heard;
      yield* counting.text('numbers', message === undefined ? 'and so on.' : 'wait!');
      yield* counting.end('numbers');
      if (message === undefined) return;
      const words = message.blocks.flatMap((said) => (said.type === 'text' ? [said.text] : [])).join('\n');
      yield { type: 'heard', id: message.id };
      yield* say('heard', `You said ${quote(words)} while I was counting, so I stopped.`);
    }),
};

const asking: Topic = {
  example: 'ask for permission yourself',
  description: 'an agent that runs its own tools asks you first, and keeps the rules that you give it',
  pattern: /\bpermission\b/iu,
  write: () =>
    play(async function* ({ call, newCallId }) {
      const id = newCallId();
      yield* say('answer', 'I would like to tidy up with a tool of my own.');
      yield ownCall(id, 'tidy_up', { folder: 'threads' });
      const preview: ToolBlock[] = [{ type: 'command', command: 'tidy threads' }];
      const rules: PermissionRule[] = [
        { tool: 'tidy_up', command: 'tidy *', effect: 'allow', provider: { rule: 'Tidy(threads:*)' } },
      ];
      const {
        decision,
        text = '',
        scope = 'once',
        parameters,
      } = await call.decide(id, { kind: 'ask', preview, rules });
      if (decision === 'denied') {
        yield* say('report', `You said no${text === '' ? '' : `: ${quote(text)}`}. Everything stays where it is.`);
        return;
      }
      yield resultOf(id, { type: 'text', text: 'Tidied up. (Only pretended.)' });
      yield { type: 'tool-state', call: id, state: 'result' };
      const where = parameters === undefined ? '' : ` I took what you wrote: ${quote(JSON.stringify(parameters))}.`;
      const reach = scope === 'once' ? '' : ` You allowed it for longer (${scope}); a real agent would not ask again.`;
      yield* say('report', `Thank you. All threads are in order now.${where}${reach}`);
    }),
};

/** In search order. */
export const agentTopics: readonly Topic[] = [overload, ownSearch, subagent, secondThought, asking, picture, listener];

function play(scene: Scene): Script {
  return { lines: [{ type: 'scene', scene }], ending: { type: 'call-end', reason: 'stop' } };
}

/** Returns the events of a text in a message, word by word. */
function say(message: string, words: string, key = message): ProviderEvent[] {
  const writer = new EventWriter(message);
  const pieces = words.match(/\S+\s*/gu) ?? [];
  return [...pieces.flatMap((piece) => writer.text(key, piece)), ...writer.end(key)];
}

function block(message: string, content: AssistantBlock): ProviderEvent {
  return { type: 'block', message, role: 'assistant', block: content };
}

function ownCall(id: string, name: string, parameters: Record<string, string>): ProviderEvent {
  return block('answer', { type: 'tool-use', id, name, parameters, executed: 'provider' });
}

function resultOf(id: string, content: ToolBlock): ProviderEvent {
  return { type: 'block', message: `result of ${id}`, role: 'tool', tool_call_id: id, block: content };
}
