import type { Message } from '@loom/blocks';
import type { CallErrorCode, FinishReason, ToolDescription } from '@loom/kernel';

/** A piece of an answer, in words that no API has. */
export type Said =
  | { say: string }
  /** `sealed`: a form for the provider alone, without words. */
  | { think: string; sealed?: boolean }
  /** `id` where the wire has ids. */
  | { call: string; arguments: string; id: string }
  /** A search that the provider makes itself. */
  | { search: string; id: string; found: readonly { url: string; title: string }[] }
  /** Words that rest on a page. */
  | { cite: string; url: string; title: string }
  /** A picture, as base64. */
  | { draw: string; mediaType: string }
  /** An event that no SDK knows. */
  | { unknown: string };

/** What goes wrong. */
export interface Failure {
  /** `status`: refused; `cut`: the socket is closed; `held`: nothing more comes until the test lets it. */
  kind: 'status' | 'cut' | 'held';
  status?: number;
  message?: string;
  /** In seconds. */
  retryAfter?: number;
  /** After how many pieces of the stream; without, in place of the stream. */
  after?: number;
}

/** One answer of a model, rendered by each emulator in its own wire format. */
export interface Answer {
  said: readonly Said[];
  end?: 'stop' | 'length' | 'refusal';
  usage?: { input?: number; output?: number; cached?: number; written?: number; reasoning?: number };
  failure?: Failure;
  /** How many bytes go out at a time. */
  pieceSize?: number;
}

/** What a person says, what the model answers in each round of tools, and what must come of it. */
export interface Scenario {
  name: string;
  prompt: string;
  /** What is in the conversation before the prompt. */
  before?: readonly Message[];
  /** Files beside the prompt: base64 by media type. */
  files?: readonly { mediaType: string; base64: string; filename?: string }[];
  answers: readonly Answer[];
  /** Which results the tools give, in the order of the calls. */
  results?: readonly { text: string; isError?: boolean }[];
  expected: Expected;
}

export interface Expected {
  /** The words of the last answer. */
  text?: string;
  thinking?: string;
  calls?: readonly { name: string; arguments: string }[];
  sources?: readonly string[];
  reason?: FinishReason;
  error?: CallErrorCode;
  retries?: number;
}

export const tools: readonly ToolDescription[] = [
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
    name: 'parallel tools',
    prompt: 'What is the weather in Oslo and in Rome?',
    answers: [
      {
        said: [
          { say: 'I ask for both.' },
          { call: 'weather', arguments: '{"city":"Oslo"}', id: 'call_1' },
          { call: 'weather', arguments: '{"city": "Rome", "days": 1.0}', id: 'call_2' },
        ],
      },
      { said: [{ say: 'Snow in Oslo, sun in Rome.' }] },
    ],
    results: [{ text: 'snow' }, { text: 'sun' }],
    expected: {
      text: 'Snow in Oslo, sun in Rome.',
      calls: [
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'weather', arguments: '{"city": "Rome", "days": 1.0}' },
      ],
      reason: 'stop',
    },
  },
];

/** The scenario that a person has asked for, by its prompt. */
export function scenarioOf(said: string): Scenario | undefined {
  return scenarios.find(({ prompt }) => said === prompt);
}
