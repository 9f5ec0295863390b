import { deniedText } from '@loom/blocks';
import type { CallErrorCode, FinishReason, ToolDescription } from '@loom/kernel';

/** A piece of an answer, in terms that no API uses. */
export type Said =
  | { say: string }
  /** `sealed`: a form for the provider alone, without text. */
  | { think: string; sealed?: boolean }
  /** `id` is used if the wire has ids. */
  | { call: string; arguments: string; id: string }
  /** A search that the provider runs itself. */
  | { search: string; id: string; found: readonly { url: string; title: string }[] }
  /** Text that cites a page. */
  | { cite: string; url: string; title: string }
  /** An image, as base64. */
  | { draw: string; mediaType: string }
  /** An event that no SDK knows. */
  | { unknown: string };

/** The failure of an answer. */
export interface Failure {
  /** `status`: refused; `cut`: the socket is closed; `held`: nothing more comes until the test lets it. */
  kind: 'status' | 'cut' | 'held';
  status?: number;
  message?: string;
  /** In seconds. */
  retryAfter?: number;
  /** The text after which it happens, `''` for none; by default in place of the stream. */
  after?: string;
  /** The number of requests it affects; by default all. */
  times?: number;
}

/** One answer of a model, rendered by each emulator in its own wire format. */
export interface Answer {
  said: readonly Said[];
  /** `pause`: the provider stops in the middle of its own work, and continues when it is asked to. */
  end?: 'stop' | 'length' | 'refusal' | 'pause';
  usage?: { input?: number; output?: number; cached?: number; written?: number; reasoning?: number };
  failure?: Failure;
  /** The number of bytes sent at a time. */
  pieceSize?: number;
}

/** The user's message, the model's answer in each round of tools, and the expected outcome. */
export interface Scenario {
  name: string;
  prompt: string;
  /** A feature that not every API has. */
  needs?: 'drawing' | 'searching' | 'unknown events' | 'sealed thinking';
  /** A file beside the prompt. */
  file?: { mediaType: string; base64: string; filename: string };
  answers: readonly Answer[];
  /** The tools' results, in the order of the calls. */
  results?: readonly { text: string; isError?: boolean }[];
  /** The event while the emulator holds back: it continues, the time runs out, or the user stops the answer. */
  meanwhile?: 'release' | 'expire' | 'stop';
  expected: Expected;
}

/** The expected outcome of a scenario; anything not named must be missing. */
export interface Expected {
  /** The text of all answers, one after the other. */
  text?: string;
  thinking?: string;
  calls?: readonly { name: string; arguments: string }[];
  /** Addresses. */
  sources?: readonly string[];
  images?: number;
  raw?: number;
  reason?: FinishReason;
  error?: CallErrorCode;
  /** The waits before each further attempt. */
  retries?: readonly number[];
}

/** The tools that a scenario offers. */
export const scenarioTools: readonly ToolDescription[] = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'weather',
    description: 'Says what the weather is like.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
];

/** One pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const unicode = 'Größe 漢字 👩‍👩‍👧‍👦 🧵 é — “quoted” \u2028 end';
const longText = Array.from({ length: 6000 }, (_, line) => `Line ${line} of a very long answer.\n`).join('');

/** The waits without the spread of `random`, which tests set to a half. */
const waits = [750, 1500, 3000, 6000];

export const scenarios: readonly Scenario[] = [
  {
    name: 'text',
    prompt: 'Say hello.',
    answers: [{ said: [{ say: 'Hello there, how are you?' }] }],
    expected: { text: 'Hello there, how are you?', reason: 'stop' },
  },
  {
    name: 'thinking',
    prompt: 'Think first.',
    answers: [{ said: [{ think: 'The person wants me to think.' }, { say: 'I have thought.' }] }],
    expected: { thinking: 'The person wants me to think.', text: 'I have thought.', reason: 'stop' },
  },
  {
    name: 'sealed thinking',
    prompt: 'Think where I cannot see it.',
    needs: 'sealed thinking',
    answers: [{ said: [{ think: 'A secret.', sealed: true }, { say: 'I have thought.' }] }],
    expected: { thinking: '', text: 'I have thought.', reason: 'stop' },
  },
  {
    name: 'parallel tools',
    prompt: 'What is the weather in Oslo and in Rome?',
    answers: [
      {
        said: [
          { think: 'Two cities.' },
          { say: 'I ask for both. ' },
          { call: 'weather', arguments: '{"city":"Oslo"}', id: 'call_1' },
          { call: 'weather', arguments: '{"city": "Rome", "days": 1.0, "id": 12345678901234567890}', id: 'call_2' },
        ],
      },
      { said: [{ say: 'Snow in Oslo, sun in Rome.' }] },
    ],
    results: [{ text: 'snow' }, { text: 'sun' }],
    expected: {
      thinking: 'Two cities.',
      text: 'I ask for both. Snow in Oslo, sun in Rome.',
      calls: [
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'weather', arguments: '{"city": "Rome", "days": 1.0, "id": 12345678901234567890}' },
      ],
      reason: 'stop',
    },
  },
  toolScenario('an empty result', 'Read the empty file.', { text: '' }),
  toolScenario('a failing tool', 'Read the file that is not there.', { text: 'no such file', isError: true }),
  toolScenario('a tool that fails without a word', 'Read the broken file.', { text: '', isError: true }),
  toolScenario('a denied tool', 'Read the secret file.', { text: deniedText, isError: true }),
  {
    name: 'malformed JSON arguments',
    prompt: 'Call it wrongly.',
    answers: [
      { said: [{ call: 'weather', arguments: '{"city": "Os', id: 'call_bad' }] },
      { said: [{ say: 'I am sorry.' }] },
    ],
    results: [{ text: 'the arguments are no JSON', isError: true }],
    expected: { calls: [{ name: 'weather', arguments: '{"city": "Os' }], text: 'I am sorry.', reason: 'stop' },
  },
  {
    name: 'an image in',
    prompt: 'What is in this picture?',
    file: { mediaType: 'image/png', base64: picture, filename: 'dot.png' },
    answers: [{ said: [{ say: 'One pixel.' }] }],
    expected: { text: 'One pixel.', reason: 'stop' },
  },
  {
    name: 'an image out',
    prompt: 'Draw a pixel.',
    needs: 'drawing',
    answers: [{ said: [{ say: 'Here it is.' }, { draw: picture, mediaType: 'image/png' }] }],
    expected: { text: 'Here it is.', images: 1, reason: 'stop' },
  },
  {
    name: 'citations',
    prompt: 'Search for pixels.',
    needs: 'searching',
    answers: [
      {
        said: [
          { say: 'I search. ' },
          {
            search: 'pixels',
            id: 'srvtoolu_1',
            found: [
              { url: 'https://pixels.example/', title: 'Pixels' },
              { url: 'https://dots.example/', title: 'Dots' },
            ],
          },
          { cite: 'A pixel is a dot.', url: 'https://pixels.example/', title: 'Pixels' },
        ],
      },
    ],
    expected: {
      text: 'I search. A pixel is a dot.',
      sources: ['https://pixels.example/', 'https://dots.example/'],
      reason: 'stop',
    },
  },
  {
    name: 'a refusal',
    prompt: 'Do something bad.',
    answers: [{ said: [{ say: 'I cannot ' }], end: 'refusal' }],
    expected: { text: 'I cannot ', reason: 'refusal' },
  },
  {
    name: 'the limit of the output',
    prompt: 'Talk until you are cut off.',
    answers: [{ said: [{ say: 'And so on and so' }], end: 'length' }],
    expected: { text: 'And so on and so', reason: 'length' },
  },
  {
    name: 'unicode, split inside of characters',
    prompt: 'Say something in many scripts.',
    answers: [
      {
        said: [{ say: unicode }, { call: 'weather', arguments: JSON.stringify({ city: unicode }), id: 'call_unicode' }],
        pieceSize: 1,
      },
      { said: [{ say: '!' }], pieceSize: 3 },
    ],
    results: [{ text: unicode }],
    expected: {
      text: `${unicode}!`,
      calls: [{ name: 'weather', arguments: JSON.stringify({ city: unicode }) }],
      reason: 'stop',
    },
  },
  {
    name: 'a very long answer',
    prompt: 'Write a book.',
    answers: [{ said: [{ say: longText }] }],
    expected: { text: longText, reason: 'stop' },
  },
  {
    name: 'an event that is not known',
    prompt: 'Say something new.',
    needs: 'unknown events',
    answers: [{ said: [{ say: 'Before, ' }, { unknown: 'content_surprise' }, { say: 'after.' }] }],
    expected: { text: 'Before, after.', raw: 1, reason: 'stop' },
  },
  failing('400', { kind: 'status', status: 400, message: 'something: is wrong' }, { error: 'invalid-request' }),
  failing('401', { kind: 'status', status: 401, message: 'invalid key' }, { error: 'auth' }),
  failing('403', { kind: 'status', status: 403, message: 'not permitted' }, { error: 'auth' }),
  failing('404', { kind: 'status', status: 404, message: 'model: nothing' }, { error: 'unknown-model' }),
  failing('429', { kind: 'status', status: 429 }, { error: 'rate-limit', retries: waits }),
  failing('500', { kind: 'status', status: 500 }, { error: 'failed', retries: waits }),
  failing('529', { kind: 'status', status: 529 }, { error: 'overloaded', retries: waits }),
  failing(
    '429 with a time to wait',
    { kind: 'status', status: 429, retryAfter: 7, times: 1 },
    { text: 'Now it works.', retries: [7000], reason: 'stop' },
  ),
  failing('429 with a long time to wait', { kind: 'status', status: 429, retryAfter: 3600 }, { error: 'rate-limit' }),
  failing(
    'too long a conversation',
    { kind: 'status', status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    { error: 'too-long' },
  ),
  failing(
    'a cut before the first word',
    { kind: 'cut', after: '', times: 1 },
    { text: 'Now it works.', retries: [750], reason: 'stop' },
  ),
  {
    ...failing('a cut in mid-stream', { kind: 'cut', after: 'Now it' }, { text: 'Now it', error: 'network' }),
    meanwhile: 'release',
  },
  failing(
    'an error in mid-stream',
    { kind: 'status', status: 529, after: 'Now it' },
    { text: 'Now it', retries: [750], error: 'overloaded' },
  ),
  failing(
    'an overload in mid-stream, once',
    { kind: 'status', status: 529, after: 'Now it', times: 1 },
    { text: 'Now it works.', retries: [750], reason: 'stop' },
  ),
  {
    ...failing('a slow first byte', { kind: 'held' }, { text: 'Now it works.', reason: 'stop' }),
    meanwhile: 'release',
  },
  {
    ...failing('no first byte', { kind: 'held', times: 1 }, { text: 'Now it works.', retries: [750], reason: 'stop' }),
    meanwhile: 'expire',
  },
  {
    ...failing('a stalled stream', { kind: 'held', after: 'Now it' }, { text: 'Now it', error: 'timeout' }),
    meanwhile: 'expire',
  },
  {
    ...failing('a stop', { kind: 'held', after: 'Now it' }, { text: 'Now it', error: 'stopped' }),
    meanwhile: 'stop',
  },
];

function toolScenario(name: string, prompt: string, result: { text: string; isError?: boolean }): Scenario {
  const spelled = '{"path":"notes.txt"}';
  return {
    name,
    prompt,
    answers: [
      { said: [{ call: 'read_file', arguments: spelled, id: 'call_read' }] },
      { said: [{ say: 'I have seen it.' }] },
    ],
    results: [result],
    expected: { calls: [{ name: 'read_file', arguments: spelled }], text: 'I have seen it.', reason: 'stop' },
  };
}

/** Returns a scenario whose stream has two pieces, so that a failure has its place between them. */
function failing(name: string, failure: Failure, expected: Expected): Scenario {
  return {
    name,
    prompt: `Fail: ${name}.`,
    answers: [{ said: [{ say: 'Now it' }, { say: ' works.' }], failure }],
    expected,
  };
}
