import type { Random } from '@loom/kernel/testing';

/** A change that a broken or hostile server makes to a stream. */
type Mutation = (body: string, random: Random) => string | Uint8Array;

/** Makes one change to a stream, chosen by the seed. */
export function mutate(body: string, random: Random): { name: string; bytes: Uint8Array } {
  const [name, change] = random.pick(Object.entries(mutations)) ?? ['nothing', (same: string) => same];
  const changed = change(body, random);
  return { name, bytes: typeof changed === 'string' ? Buffer.from(changed) : changed };
}

const mutations: Readonly<Record<string, Mutation>> = {
  'cut anywhere': (body, random) => body.slice(0, random.below(body.length)),
  'cut between events': (body, random) => {
    const events = eventsIn(body);
    return events.slice(0, random.below(events.length)).join('');
  },
  'a character changed': (body, random) => {
    const at = random.below(body.length);
    return body.slice(0, at) + String.fromCharCode(random.below(0x1_00_00)) + body.slice(at + 1);
  },
  'some bits flipped': (body, random) => {
    const bytes = Buffer.from(body);
    for (let count = 1 + random.below(8); count > 0; count -= 1) {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
    return bytes;
  },
  'an event doubled': (body, random) => changeEvent(body, random, (event) => [event, event]),
  'an event lost': (body, random) => changeEvent(body, random, () => []),
  'two events exchanged': (body, random) => {
    const events = eventsIn(body);
    const [one, other] = [random.below(events.length), random.below(events.length)];
    [events[one], events[other]] = [events[other] ?? '', events[one] ?? ''];
    return events.join('');
  },
  'all events in another order': (body, random) =>
    eventsIn(body)
      .map((event) => ({ event, place: random.next() }))
      .sort((left, right) => left.place - right.place)
      .map(({ event }) => event)
      .join(''),
  'the stream twice': (body) => body + body,
  'a value of another type': (body, random) => changeEvent(body, random, (event) => [retype(event, random)]),
  'a key lost': (body, random) => changeEvent(body, random, (event) => [rewrite(event, random, () => '"gone":0')]),
  'a text without an end': (body, random) =>
    changeEvent(body, random, (event) => [rewrite(event, random, (key) => `"${key}":"${'endless '.repeat(8000)}"`)]),
  'very deep JSON': (body, random) =>
    changeEvent(body, random, (event) => [event, `data: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n\n`]),
  'something that is no JSON': (body, random) =>
    changeEvent(body, random, (event) => [
      event,
      random.pick(['data: {"a":\n\n', 'data: <html>\n\n', 'data:\n\n']) ?? '',
    ]),
  'an error in the middle': (body, random) =>
    changeEvent(body, random, (event) => [event, `data: ${random.pick(errors) ?? ''}\n\n`]),
  'an event of another API': (body, random) =>
    changeEvent(body, random, (event) => [event, `data: ${random.pick(strangers) ?? ''}\n\n`]),
};

const errors = [
  '{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}',
  '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  '{"error":null}',
  '{"error":"it broke"}',
];

/** Deeper than a block can hold. */
const deep = `${'['.repeat(3000)}${']'.repeat(3000)}`;

const strangers = [
  `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"deep":${deep}}}}]}}]}`,
  `{"candidates":[{"content":{"parts":[{"executableCode":{"code":${deep}}},{"codeExecutionResult":{"output":${deep}}}]}}]}`,
  '{"type":"message_start","message":{}}',
  '{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"from nowhere"}}',
  '{"candidates":[{"content":{"parts":[{"text":7},{"functionCall":{"name":"f","args":[]}},{"codeExecutionResult":{}}]}}]}',
  '{"choices":[{"delta":{"tool_calls":[{"index":9,"function":{"arguments":"{}"}}]}}]}',
  '{"type":"response.output_item.done","item":{"type":"function_call"}}',
  'null',
  '[]',
];

function eventsIn(body: string): string[] {
  return body.split(/(?<=\n\n)/);
}

function changeEvent(body: string, random: Random, change: (event: string) => string[]): string {
  const events = eventsIn(body);
  const at = random.below(events.length);
  return events.flatMap((event, index) => (index === at ? change(event) : [event])).join('');
}

/** Rewrites one `"key":value` of an event with a simple value. */
function rewrite(event: string, random: Random, write: (key: string) => string): string {
  const found = [...event.matchAll(/"(\w+)": ?(?:"(?:[^"\\]|\\.)*"|[\d.]+|true|false|null)/g)];
  const chosen = random.pick(found);
  if (chosen === undefined) return event;
  const { 0: whole, 1: key = '', index } = chosen;
  return event.slice(0, index) + write(key) + event.slice(index + whole.length);
}

function retype(event: string, random: Random): string {
  const value =
    random.pick(['null', '0', '-1e308', 'true', '""', '[]', '{}', '"\\ud800"', '"\\u0000"', '[[{"a":null}]]']) ?? '';
  return rewrite(event, random, (key) => `"${key}":${value}`);
}
