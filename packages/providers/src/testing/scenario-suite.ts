import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, ToolUseBlock } from '@loom/blocks';
import type { Provider, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import type { ApiDependencies } from '../api/api.ts';
import { conversationText, startEmulator } from './emulators/core.ts';
import type { EmulatedWire, Emulator } from './emulators/core.ts';
import { playScenarios } from './emulators/script.ts';
import { inspectEvents } from './event-rules.ts';
import { HastyClock } from './hasty-clock.ts';
import { saidMessages } from './said-messages.ts';
import { scenarios, scenarioTools } from './scenarios.ts';
import type { Answer, Expected, Scenario } from './scenarios.ts';
import { callWith, requestSaying, saying } from './streams.ts';

/** A provider and the wire that it speaks. */
export interface ScenarioMaterial {
  wire: EmulatedWire;
  model: string;
  /** The path of the API below the address of its server. */
  path: string;
  make: (dependencies: ApiDependencies) => Provider;
}

const key = 'sk-canary-0123456789';

/** Plays every scenario through a real socket, and continues the resulting conversation. */
export function testScenarios(name: string, material: ScenarioMaterial): void {
  for (const scenario of scenarios) {
    const lacks = scenario.needs !== undefined && !material.wire.abilities.includes(scenario.needs);
    const skip = lacks ? `${name} does not show ${scenario.needs}` : false;
    test(`[PV18] ${name}: ${scenario.name}`, { skip }, () => playScenario(material, scenario));
  }
}

/** Returns the prompts of scenarios without a failure, for a provider's contract test. */
export function contractPrompts({ abilities }: EmulatedWire): string[] {
  const usual = scenarios.filter(({ answers, needs }) => {
    return (needs === undefined || abilities.includes(needs)) && answers.every(isShort);
  });
  return usual.map(({ prompt }) => prompt);
}

function isShort({ failure, pieceSize, said }: Answer): boolean {
  return (
    failure === undefined && pieceSize === undefined && said.every((part) => !('say' in part) || part.say.length < 1000)
  );
}

async function playScenario(material: ScenarioMaterial, scenario: Scenario): Promise<void> {
  const emulator = await startEmulator(material.wire, playScenarios);
  try {
    const stage = new Stage(material, emulator);
    const played = await stage.play(scenario);
    assert.deepEqual(summarise(played), { ...nothing, ...scenario.expected });
    assert.equal(stage.clock.waiting, 0, 'a wait was left behind');
    await stage.goOn();
    checkPrefixes(material.wire, emulator);
    checkSecrets(stage.recorded + JSON.stringify(played));
    if (scenario.meanwhile === 'stop') assert.equal(await emulator.requests[0]?.isLeft, true);
    if (scenario.file !== undefined) assert.equal(filesOf(material.wire, emulator), 1);
  } finally {
    await emulator.close();
  }
}

const nothing: Required<Omit<Expected, 'reason' | 'error' | 'thinking'>> = {
  text: '',
  calls: [],
  sources: [],
  images: 0,
  raw: 0,
  retries: [],
};

/** One provider in front of one emulator, and the conversation between them. */
class Stage {
  readonly clock = new HastyClock();
  readonly #provider: Provider;
  readonly #model: string;
  readonly #emulator: Emulator;
  readonly #call: ProviderCall;
  readonly #controller = new AbortController();
  #messages: Message[] = [];
  recorded = '';

  constructor({ make, model, path }: ScenarioMaterial, emulator: Emulator) {
    this.#model = model;
    this.#emulator = emulator;
    this.#provider = make({
      clock: this.clock,
      random: () => 0.5,
      key: async () => key,
      baseURL: emulator.url + path,
    });
    this.#call = {
      ...callWith(this.#controller.signal),
      record: (_part, bytes) => void (this.recorded += new TextDecoder().decode(bytes)),
    };
  }

  /** Returns all events, round by round. */
  async play({ prompt, file, results = [], meanwhile, answers }: Scenario): Promise<ProviderEvent[][]> {
    const rounds: ProviderEvent[][] = [];
    const text = saying(prompt);
    if (file !== undefined && text.role === 'user') {
      const blob = await this.#call.blobs.put(Buffer.from(file.base64, 'base64'));
      text.content.unshift({ type: 'image', media_type: file.mediaType, blob, filename: file.filename });
    }
    this.#messages.push(text);
    for (let round = 0; round < answers.length; round += 1) {
      const events: ProviderEvent[] = [];
      rounds.push(events);
      const isWithin = answers[round]?.failure?.after !== undefined;
      const interfered = meanwhile === undefined ? undefined : this.#interfere(meanwhile, isWithin, events);
      await this.#listen(events);
      await interfered;
      assert.deepEqual(inspectEvents(events, false).violations, []);
      const said = saidMessages(events);
      this.#messages.push(...said, ...answerCalls(said, results));
    }
    return rounds;
  }

  /** Asks again after the scenario, whatever its outcome: the model is sent nothing that it refuses. */
  async goOn(): Promise<void> {
    this.#messages.push(saying('Say hello.'));
    const events: ProviderEvent[] = [];
    await this.#listen(events, new AbortController().signal);
    assert.deepEqual(events.at(-1), { type: 'call-end', reason: 'stop' }, JSON.stringify(events.at(-1)));
  }

  async #listen(events: ProviderEvent[], signal = this.#controller.signal): Promise<void> {
    for await (const event of this.#provider.stream(this.#request(), { ...this.#call, signal })) events.push(event);
  }

  #request(): ProviderRequest {
    const tools = scenarioTools;
    return requestSaying('', { model: this.#model, systemPrompt: 'Be brief.', messages: [...this.#messages], tools });
  }

  async #interfere(
    how: NonNullable<Scenario['meanwhile']>,
    isWithin: boolean,
    events: readonly ProviderEvent[],
  ): Promise<void> {
    await this.#emulator.held;
    // The events sent before must have arrived.
    const isEarly = (): boolean => isWithin && !events.some(({ type }) => type === 'block-delta');
    while (isEarly()) await new Promise((resolve) => setImmediate(resolve));
    if (how === 'release') this.#emulator.release();
    else if (how === 'expire') this.clock.expire();
    else this.#controller.abort();
  }
}

/** Returns the messages that a turn puts below an answer with calls. */
function answerCalls(said: readonly Message[], results: NonNullable<Scenario['results']>): Message[] {
  return callsOf(said).map(({ id }, index): Message => {
    const { text, isError = false } = results[index] ?? { text: 'ok' };
    const content = text === '' ? [] : [{ type: 'text' as const, text }];
    return { role: 'tool', tool_call_id: id, content, ...(isError ? { is_error: true } : {}) };
  });
}

function callsOf(messages: readonly Message[]): ToolUseBlock[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool-use' && block.executed === undefined ? [block] : [])),
  );
}

function summarise(rounds: readonly ProviderEvent[][]): Expected {
  const messages = rounds.flatMap(saidMessages);
  const blocks = messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
  const events = rounds.flat();
  const last = events.at(-1);
  const thoughts = blocks.filter((block) => block.type === 'thinking');
  return {
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    ...(thoughts.length === 0 ? {} : { thinking: thoughts.map(({ text }) => text).join('') }),
    calls: callsOf(messages).map(({ name, parameters, arguments: exact }) => ({
      name,
      arguments: exact ?? JSON.stringify(parameters),
    })),
    sources: blocks.flatMap((block) => (block.type === 'sources' ? block.sources.map(({ url }) => url) : [])),
    images: blocks.filter(({ type }) => type === 'image').length,
    raw: blocks.filter(({ type }) => type === 'raw').length,
    retries: events.flatMap((event) => (event.type === 'retrying' ? [event.delay_ms] : [])),
    ...(last?.type === 'call-end' ? { reason: last.reason } : {}),
    ...(last?.type === 'call-error' ? { error: last.error.code } : {}),
  };
}

/** Checks that each conversation begins with the bytes of the one before. */
function checkPrefixes(wire: EmulatedWire, { requests }: Emulator): void {
  const texts = requests.map((request) => conversationText(wire, request));
  for (const [index, text] of texts.entries()) {
    const before = texts[index - 1] ?? '';
    // The last message may grow: neighbors of one role are one message.
    assert.ok(text.startsWith(before.replace(/["\]}]+$/, '')), `the prefix is lost:\n${before}\n${text}`);
  }
}

function checkSecrets(written: string): void {
  assert.ok(written.includes('[redacted]'));
  assert.ok(!written.includes(key), 'the key was written');
}

function filesOf(wire: EmulatedWire, { requests: [first] }: Emulator): number {
  return first === undefined ? 0 : wire.read(first).files;
}
