import { agentTopics } from './agent-topics.ts';
import { breakdown, refusal } from './failure-topics.ts';
import type { Reading } from './reading.ts';
import { passage, say } from './script.ts';
import type { Script } from './script.ts';
import { answerAnything, goOn, greet, openingTopics, talkTopics } from './talk-topics.ts';
import { toolTopics } from './tool-topics.ts';
import type { Topic } from './topic.ts';
import { writingTopics } from './writing-topics.ts';

/** Returns the demo's next answer. */
export function answer(reading: Reading): Script {
  if (reading.heard.length === 0 && !reading.endsWithAnswer) return greet(reading);
  if (reading.endsWithAnswer) return goOn.write(reading);
  // Keywords stand at the beginning; a pasted book is not searched for them.
  const beginning = reading.said.slice(0, 500).trim();
  const topic = topics.find(({ pattern }) => pattern.test(beginning));
  return topic === undefined ? answerAnything(reading) : topic.write(reading);
}

const help: Topic = {
  example: 'help',
  description: 'this list',
  pattern: /^\W*help\b|\bwhat can you do\b|^\W*\?\W*$/iu,
  write: () =>
    say(
      passage(
        '# What I react to',
        '',
        ...groups.flatMap(([title, members]) => [
          `**${title}**`,
          '',
          ...members.map(({ example, description }) => `- \`${example}\`: ${description}`),
          '',
        ]),
        'Other words that mean the same often work too. The rest of your message is yours.',
      ),
    ),
};

const failures: readonly Topic[] = [breakdown, refusal];

const groups: readonly (readonly [title: string, members: readonly Topic[]])[] = [
  ['Talking', [help, ...talkTopics, ...openingTopics]],
  // Backwards: the widest pattern is tried last, and shows the most.
  ['Tools', toolTopics.toReversed()],
  ['Agents', agentTopics],
  ['Writing', writingTopics],
  ['When things go wrong', failures],
];

/** All topics, in the order of the search: the first one whose pattern matches answers. */
export const topics: readonly Topic[] = [
  ...openingTopics,
  help,
  ...agentTopics,
  ...toolTopics,
  ...talkTopics,
  ...failures,
  ...writingTopics,
];
