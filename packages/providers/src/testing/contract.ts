import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNonEmpty } from '@loom/blocks';
import type { Message, NonEmptyArray } from '@loom/blocks';
import { anyCharacters, anyMessage } from '@loom/blocks/testing';
import type { Provider, ProviderEvent, ProviderRequest, ToolDescription } from '@loom/kernel';
import * as fc from 'fast-check';
import { inspectEvents } from './event-rules.ts';
import type { ContractRule } from './event-rules.ts';
import { callWith, collectEvents, deepFreeze, requestSaying, saying } from './streams.ts';

/** The inputs of a provider's contract test. */
export interface ContractMaterial {
  models: Readonly<NonEmptyArray<string>>;
  /** Prompts that make it show everything it can do. */
  prompts: Readonly<NonEmptyArray<string>>;
  tools: readonly ToolDescription[];
}

/** The most events after a call was stopped. */
const eventsAfterStop = 8;

/** Tests the promises of every provider: the rules PV1 … of docs/spec/providers.md. */
export function testProviderContract(name: string, make: () => Provider, material: ContractMaterial): void {
  const isRunningTools = make().runsTools === true;
  const violationsOf = (events: readonly ProviderEvent[]) => inspectEvents(events, isRunningTools).violations;

  // Played once; the tests of the single rules share the calls.
  let played: Promise<ProviderEvent[][]> | undefined;
  const playAll = (): Promise<ProviderEvent[][]> => (played ??= playConversations(make(), material));
  const checkRule = async (rule: ContractRule): Promise<void> => {
    const calls = await playAll();
    assert.ok(calls.length >= material.prompts.length);
    const found = calls.flatMap((events) => violationsOf(events).filter((violation) => violation.rule === rule));
    assert.deepEqual(found, []);
  };

  test(`[PV1] ${name}: a call begins with call-start and ends with call-end or call-error`, () => checkRule('PV1'));
  test(`[PV2] ${name}: a key is opened once, and only what is open grows and ends`, () => checkRule('PV2'));
  test(`[PV3] ${name}: at call-end no block is open`, () => checkRule('PV3'));
  test(`[PV4] ${name}: blocks satisfy the schema of their role`, () => checkRule('PV4'));
  test(`[PV5] ${name}: a delta is not empty and belongs to a field that streams`, () => checkRule('PV5'));
  test(`[PV6] ${name}: a block ends as what it began, with the sum of its deltas`, () => checkRule('PV6'));
  test(`[PV7] ${name}: calls have ids of their own and complete arguments`, () => checkRule('PV7'));
  test(`[PV8] ${name}: no delta cuts a surrogate pair`, () => checkRule('PV8'));
  test(`[PV9] ${name}: every block is in a message of its role, every result has its call`, () => checkRule('PV9'));
  test(`[PV10] ${name}: the reason of call-end agrees with the calls`, () => checkRule('PV10'));
  test(`[PV11] ${name}: usage is finite and only grows`, () => checkRule('PV11'));

  test(`[PV17] ${name}: words of agents belong to a call that it runs itself`, () => checkRule('PV17'));

  test(`[PV12] ${name}: no history makes it throw or break a rule`, async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest(material), async (request) => {
        assert.deepEqual(violationsOf(await collectEvents(make(), request)), []);
      }),
    );
  });

  test(`[PV13] ${name}: a stopped call ends soon, wherever it is stopped`, async () => {
    await fc.assert(
      fc.asyncProperty(anyPrompt(material), fc.nat(400), async (request, stopAfter) => {
        const events = await collectEvents(make(), request, stopAfter);
        assert.ok(events.length <= stopAfter + eventsAfterStop, `${events.length} events, stopped after ${stopAfter}`);
        assert.deepEqual(violationsOf(events), []);
      }),
    );
  });

  test(`[PV14] ${name}: the same request gives the same events`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyPrompt(material), anyRequest(material)), async (request) => {
        const first = await collectEvents(make(), request);
        assert.equal(JSON.stringify(await collectEvents(make(), structuredClone(request))), JSON.stringify(first));
      }),
    );
  });

  test(`[PV15] ${name}: calls do not disturb each other, and a reader may leave`, async () => {
    const provider = make();
    for (const [index, prompt] of material.prompts.entries()) {
      const requests = [prompt, material.prompts[(index + 1) % material.prompts.length] ?? prompt].map((text) =>
        requestSaying(text, { model: material.models[0], tools: material.tools }),
      );
      const alone = [];
      for (const request of requests) alone.push(await collectEvents(make(), request));
      await leaveEarly(provider, requests);
      assert.deepEqual(await Promise.all(requests.map((request) => collectEvents(provider, request))), alone);
    }
  });

  test(`[PV16] ${name}: a request is never changed`, async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest(material), async (request) => {
        const before = JSON.stringify(request);
        assert.deepEqual(violationsOf(await collectEvents(make(), deepFreeze(request))), []);
        assert.equal(JSON.stringify(request), before);
      }),
    );
  });
}

/** Plays every prompt with every model; calls get results, so that all rounds of tools are covered. */
async function playConversations(provider: Provider, material: ContractMaterial): Promise<ProviderEvent[][]> {
  const calls: ProviderEvent[][] = [];
  for (const model of material.models) {
    for (const prompt of material.prompts) {
      let messages: readonly Message[] = [saying(prompt)];
      for (let round = 0; round < 12; round += 1) {
        const events = await collectEvents(provider, requestSaying(prompt, { model, messages, tools: material.tools }));
        calls.push(events);
        const answers = answerCalls(events, provider.runsTools === true);
        if (answers.length === 0) break;
        messages = [...messages, ...answers];
      }
    }
  }
  return calls;
}

/** Returns the messages that a turn adds to the path if the model leaves calls to run. */
function answerCalls(events: readonly ProviderEvent[], runsTools: boolean): Message[] {
  const last = events.at(-1);
  const { blocks } = inspectEvents(events, runsTools);
  if (last?.type !== 'call-end' || last.reason !== 'tool-use' || !isNonEmpty(blocks)) return [];
  const results = blocks.flatMap((block, index): Message[] =>
    block.type === 'tool-use'
      ? [
          {
            role: 'tool',
            tool_call_id: block.id,
            content: [{ type: 'text', text: `Result of ${block.name}` }],
            ...(index % 3 === 2 ? { is_error: true } : {}),
          },
        ]
      : [],
  );
  return [{ role: 'assistant', content: blocks }, ...results];
}

async function leaveEarly(provider: Provider, requests: readonly ProviderRequest[]): Promise<void> {
  for (const request of requests) {
    for await (const event of provider.stream(request, callWith(new AbortController().signal))) {
      if (event.type === 'block-delta') break;
    }
  }
}

function anyPrompt({ models, prompts, tools }: ContractMaterial): fc.Arbitrary<ProviderRequest> {
  return fc
    .record({ model: fc.constantFrom(...models), prompt: fc.constantFrom(...prompts) })
    .map(({ model, prompt }) => requestSaying(prompt, { model, tools }));
}

/** Histories that no kernel would send: unpaired, cut, out of order, with half characters and without limits. */
function anyRequest({ models, prompts, tools }: ContractMaterial): fc.Arbitrary<ProviderRequest> {
  const halves = fc.string({ unit: fc.constantFrom('\uD83E', '\uDDF5', '\0', 'x', '\n'), minLength: 1, maxLength: 20 });
  const said = fc.oneof(anyCharacters, halves, fc.constantFrom(...prompts)).map(saying);
  const model = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...models) }, fc.string());
  return fc
    .record({
      model,
      systemPrompt: fc.option(fc.string(), { nil: undefined }),
      messages: fc.array(fc.oneof(anyMessage, said), { maxLength: 6 }),
      tools: fc.subarray([...tools]),
      maxTokens: fc.oneof(fc.nat(200), fc.constantFrom(8192, 0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY)),
    })
    .map(({ systemPrompt, ...request }) => ({
      ...requestSaying('', request),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
    }));
}
