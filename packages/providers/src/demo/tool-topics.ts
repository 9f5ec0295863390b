import { isPlainObject } from '@loom/blocks';
import type { Reading } from './reading.ts';
import { passage, say } from './script.ts';
import type { PlannedCall } from './script.ts';
import { followPlan, tellResult, tellResults } from './tool-rounds.ts';
import { readSources } from './tools/search.ts';
import type { Topic } from './topic.ts';

const weather: Topic = {
  example: 'weather in Lisbon and Oslo',
  description: 'one call per city, made side by side',
  pattern: /\bweather\b|\bforecast\b/iu,
  write: (reading) =>
    followPlan(
      reading,
      [{ text: 'Let me look out of the window.', calls: readCities(reading).map(askWeather) }],
      (results) => {
        const rows = results.map((result) =>
          result.outcome === 'answered' ? `- **${result.text.replaceAll(/\s+/gu, ' ')}**` : `- ${tellResult(result)}`,
        );
        return say(passage('This is what I found:', '', ...rows, '', 'Good weather for branching out.'));
      },
    ),
};

// Spelled with a space, as many models do: the exact string of the arguments has to survive, not only its meaning.
function askWeather(city: string): PlannedCall {
  return { name: 'weather', parameters: { city }, arguments: `{"city": ${JSON.stringify(city)}}` };
}

function readCities({ said }: Reading): string[] {
  const [, list = ''] = /\b(?:in|for|at)\s+([^?!.\n]{1,200})/iu.exec(said) ?? [];
  const cities = list
    .split(/,|\band\b|&/iu)
    .map((city) => city.replaceAll(/[^\p{L}\p{M}' -]/gu, '').trim())
    .map((city) => city.replace(/\s+(?:today|tomorrow|now|tonight|please|like)$/iu, ''))
    .filter((city) => city !== '');
  return cities.length === 0 ? ['Lisbon'] : cities.slice(0, 4);
}

const search: Topic = {
  example: 'search for the history of weaving',
  description: 'a search, and an answer with its sources',
  pattern: /\b(?:search|look up|sources)\b/iu,
  write: (reading) => {
    const [, about = ''] =
      /\b(?:search|look up|sources)\s+(?:for\s+|on\s+|about\s+)?([^?!\n]{1,200})/iu.exec(reading.said) ?? [];
    const query = about.trim() === '' ? 'the history of weaving' : about.trim();
    return followPlan(reading, [{ text: '', calls: [{ name: 'search_pages', parameters: { query } }] }], (results) => {
      const sources = results.flatMap(({ text }) => readSources(text));
      if (sources.length === 0) return say(passage('The search led nowhere:', '', tellResults(results)));
      const pages = sources.map(({ id, title }) => `- ${title} [${id}]`);
      return say(
        passage(`I found ${sources.length} pages about *${query}*:`, '', ...pages, '', 'They are invented, like me.'),
        { type: 'whole', block: { type: 'sources', sources } },
      );
    });
  },
};

const noteText = '# Greeting\n\nHello, world.\n';

const writing: Topic = {
  example: 'write a file',
  description: 'a file change that needs your approval, shown as a diff',
  pattern: /\b(?:write|create|edit|change)\b.{0,40}\bfiles?\b|\bapprov\w*|\bdiff\b/iu,
  write: (reading) =>
    followPlan(
      reading,
      [
        {
          text: 'I will write a short file. You decide whether I may.',
          calls: [{ name: 'write_file', parameters: { file_path: 'greeting.md', content: noteText } }],
        },
        {
          text: 'And now a small change to it.',
          calls: [
            {
              name: 'edit_file',
              parameters: {
                file_path: 'greeting.md',
                old_string: noteText,
                new_string: noteText.replace('world', 'Loom'),
              },
            },
          ],
        },
      ],
      (results) => say(passage('Done. In order:', '', tellResults(results), '', 'No file on your disk was touched.')),
    ),
};

const command: Topic = {
  example: 'run the tests',
  description: 'a command that needs your approval, with its output',
  pattern: /\b(?:run|execute)\b|\bcommand\b|\bshell\b/iu,
  write: (reading) => {
    const line = /`([^`\n]{1,200})`/u.exec(reading.said)?.[1] ?? 'npm test';
    return followPlan(
      reading,
      [{ text: `I would like to run \`${line}\`.`, calls: [{ name: 'run_command', parameters: { command: line } }] }],
      (results) => say(passage(tellResults(results), '', '(No process was started: the demo only pretends.)')),
    );
  },
};

const todo: Topic = {
  example: 'make a plan',
  description: 'a list of tasks that is ticked off step by step',
  pattern: /\b(?:to-?dos?|plan|tasks?|checklist)\b/iu,
  write: (reading) =>
    followPlan(
      reading,
      [0, 1, 2, 3].map((done) => ({
        text: done === 0 ? 'Three steps should do. I keep a list:' : '',
        calls: [listTasks(['Listen to the question', 'Think about it', 'Answer it'], done)],
      })),
      (results) => say(passage('That was the plan:', '', tellResults(results.slice(-1)))),
    ),
};

function listTasks(tasks: readonly string[], done: number): PlannedCall {
  const items = tasks.map((content, index) => ({
    content,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  }));
  return { name: 'plan_tasks', parameters: { items } };
}

const question: Topic = {
  example: 'ask me something',
  description: 'a question from the model to you; “ask me three things” asks them at once',
  pattern: /\bask me\b|\bquestions? for me\b/iu,
  write: (reading) =>
    followPlan(
      reading,
      [{ text: '', calls: [{ name: 'ask_person', parameters: asksMore(reading) ? threeQuestions : oneQuestion }] }],
      ([result]) => {
        if (result?.outcome !== 'answered') {
          return say(passage('Never mind, I will take blue.', '', tellResults(result === undefined ? [] : [result])));
        }
        if (!asksMore(reading)) return say(`A good choice. I will remember it in this branch: ${result.text}`);
        return say(passage('This is what I heard:', '', ...result.text.split('\n').map((line) => `- ${line}`)));
      },
    ),
};

function asksMore({ said }: Reading): boolean {
  return /\b(?:two|three|several|some|a few|more)\b.{0,20}\b(?:things|questions)\b|\bquestions\b/iu.test(said);
}

const oneQuestion = {
  question: 'Which colour should the first thread have?',
  options: ['Blue', 'Madder red', 'Undyed'],
};

const threeQuestions = {
  questions: [
    {
      question: 'Which threads should be dyed?',
      several: true,
      options: [
        { label: 'Warp', detail: 'The long ones, which stay' },
        { label: 'Weft', detail: 'The ones that go through' },
        { label: 'Fringe' },
      ],
    },
    {
      question: 'When should I begin?',
      options: [{ label: 'Now', detail: 'Takes a minute' }, { label: 'Tonight' }],
    },
    { question: 'What is it for?' },
  ],
};

const failing: Topic = {
  example: 'use the flaky tool',
  description: 'two tools that fail, each in its own way',
  pattern: /\bflaky\b|\btool (?:error|failure)\b|\bfailing tool\b/iu,
  write: (reading) =>
    followPlan(
      reading,
      [
        {
          text: 'This will go wrong twice.',
          calls: [
            { name: 'flaky', parameters: {} },
            { name: 'flaky', parameters: { way: 'reject' } },
          ],
        },
      ],
      (results) => say(passage('As expected:', '', tellResults(results), '', 'A failing tool does not end a turn.')),
    ),
};

const waiting: Topic = {
  example: 'wait 5 seconds',
  description: 'a tool that takes its time; stop it if you like',
  pattern: /\bwait\b.{0,20}\d|\bslow tool\b/iu,
  write: (reading) => {
    const seconds = Math.min(60, Number(/\b(\d{1,3})\b/u.exec(reading.said)?.[1] ?? 5));
    return followPlan(
      reading,
      [{ text: 'One moment.', calls: [{ name: 'slow_tool', parameters: { seconds } }] }],
      (results) => say(tellResults(results)),
    );
  },
};

const exactCalls: Topic = {
  example: 'call weather {"city":"Kyoto"}',
  description: 'exactly this call of any offered tool; one per line, side by side',
  pattern: /^call [\w.-]+[ \t]*\{/u,
  write: (reading) => {
    const calls = reading.said.split('\n').flatMap(readCall);
    return followPlan(reading, [{ text: '', calls }], (results) => say(tellResults(results)));
  },
};

/** Reads `call <name> <arguments>`; arguments that are not a JSON object are passed on as a broken call. */
function readCall(line: string): PlannedCall[] {
  const [, name, written] = /^\s*call ([\w.-]+)[ \t]*(\{.*)$/u.exec(line) ?? [];
  return name === undefined || written === undefined
    ? []
    : [{ name, parameters: readObject(written), arguments: written }];
}

function readObject(text: string): PlannedCall['parameters'] {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Everything in one turn: the model `tools` does the same with any prompt. */
export const tour: Topic = {
  example: 'give me the tour',
  description: 'tools of every kind in one turn',
  pattern: /\btour\b|\btools?\b/iu,
  write: (reading) => {
    const tasks = ['Look around', 'Write a greeting', 'Check it'];
    return followPlan(
      reading,
      [
        { text: '## A short tour\n\nFirst a plan, so that you can follow me.', calls: [listTasks(tasks, 0)] },
        {
          text: 'Now two things at the same time.',
          calls: [askWeather('Lisbon'), { name: 'search_pages', parameters: { query: 'branching conversations' } }],
        },
        {
          text: 'For the next step I need your permission.',
          calls: [
            listTasks(tasks, 1),
            { name: 'write_file', parameters: { file_path: 'greeting.md', content: noteText } },
          ],
        },
        { text: '', calls: [listTasks(tasks, 2), { name: 'run_command', parameters: { command: 'npm test' } }] },
        { text: '', calls: [listTasks(tasks, 3)] },
      ],
      (results) => {
        const sources = results.flatMap(({ text }) => readSources(text));
        const told = results.filter(({ tool }) => tool !== 'plan_tasks');
        const end = passage(
          '## What happened',
          '',
          tellResults(told),
          '',
          'Every call and every result is a node of its own: you can fork from any of them, or edit what I said and ask again.',
        );
        return sources.length === 0 ? say(end) : say(end, { type: 'whole', block: { type: 'sources', sources } });
      },
    );
  },
};

/** In search order. */
export const toolTopics: readonly Topic[] = [
  exactCalls,
  weather,
  search,
  writing,
  failing,
  waiting,
  question,
  todo,
  command,
  tour,
];
