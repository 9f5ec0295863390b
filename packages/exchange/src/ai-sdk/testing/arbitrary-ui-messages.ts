import * as fc from 'fast-check';
import {
  jsonObjects,
  jsonValues,
  mediaTypes,
  names,
  providerMetadata,
  references,
  spokenTexts,
  texts,
  urls,
} from './arbitrary-values.ts';

/** The kinds of content in a generated UI message. Everything is on unless switched off. */
export interface UIMessageShape {
  /** Parts without a block in Loom: custom content, files of a reasoning. */
  foreignParts?: boolean;
  /** Calls without a result: the SDK sends them bare, Loom as interrupted. */
  openCalls?: boolean;
  /** Text after a call in the same step. */
  textAfterCalls?: boolean;
  /** Reasoning that is still being written. */
  unfinishedReasoning?: boolean;
  /** User messages and steering in which a model would see nothing. */
  emptyUserMessages?: boolean;
}

/** UI messages that the SDK itself accepts, without system messages. */
export function uiMessages(shape: UIMessageShape = {}): fc.Arbitrary<object[]> {
  const message = fc.oneof(userMessages(shape), { arbitrary: assistantMessages(shape), weight: 2 });
  return fc.array(message, { minLength: 1, maxLength: 4 }).map((messages) => withUniqueCalls(messages));
}

const state = fc.constantFrom('streaming', 'done');

const textPart = fc.record(
  {
    type: fc.constant('text'),
    text: texts,
    state,
    providerMetadata,
    citations: fc.constant([{ source: { type: 'source', sourceType: 'url', id: '1', url: 'https://a.b/' } }]),
  },
  { requiredKeys: ['type', 'text'] },
);

const filePart = fc.record(
  {
    type: fc.constant('file'),
    mediaType: mediaTypes,
    url: urls,
    filename: texts,
    providerReference: references,
    providerMetadata,
  },
  { requiredKeys: ['type', 'mediaType', 'url'] },
);

const dataPart = fc.record(
  { type: fc.constantFrom('data-weather', 'data-x'), id: names, data: jsonValues },
  { requiredKeys: ['type', 'data'] },
);

const sourcePart = fc.oneof(
  fc.record(
    { type: fc.constant('source-url'), sourceId: names, url: urls, title: texts, providerMetadata },
    { requiredKeys: ['type', 'sourceId', 'url'] },
  ),
  fc.record(
    { type: fc.constant('source-document'), sourceId: names, mediaType: mediaTypes, title: texts, filename: texts },
    { requiredKeys: ['type', 'sourceId', 'mediaType', 'title'] },
  ),
);

function reasoningPart(unfinished: boolean): fc.Arbitrary<object> {
  return fc.record(
    {
      type: fc.constant('reasoning'),
      text: texts,
      state: unfinished ? state : fc.constant('done'),
      providerMetadata,
      id: names,
    },
    { requiredKeys: ['type', 'text'] },
  );
}

const foreignPart = fc.oneof(
  fc.record({ type: fc.constant('custom'), kind: fc.constant('anthropic.compaction'), providerMetadata }),
  fc.record({ type: fc.constant('reasoning-file'), mediaType: mediaTypes, url: urls, providerMetadata }),
);

/** The fields of a tool part in each state. An input is an object, as with every tool, or a value that a model botched. */
function toolStates(openCalls: boolean): fc.Arbitrary<object> {
  const input = fc.oneof({ arbitrary: jsonObjects, weight: 4 }, jsonValues);
  const approval = { id: names, isAutomatic: fc.boolean(), requestReason: texts };
  const granted = fc.record({ ...approval, approved: fc.constant(true) }, { requiredKeys: ['id', 'approved'] });
  const refused = fc.record(
    { ...approval, approved: fc.constant(false), reason: texts },
    { requiredKeys: ['id', 'approved'] },
  );
  const settled = [
    fc.record({ state: fc.constant('input-streaming'), input, rawInput: texts }, { requiredKeys: ['state'] }),
    fc.record(
      {
        state: fc.constant('output-available'),
        input,
        output: fc.oneof(jsonValues, texts),
        resultProviderMetadata: providerMetadata,
        preliminary: fc.boolean(),
        approval: granted,
      },
      { requiredKeys: ['state', 'input', 'output'] },
    ),
    fc.record(
      {
        state: fc.constant('output-error'),
        input,
        errorText: texts,
        rawInput: texts,
        resultProviderMetadata: providerMetadata,
        approval: granted,
      },
      { requiredKeys: ['state', 'input', 'errorText'] },
    ),
    fc.record({ state: fc.constant('output-denied'), input, approval: refused }),
    fc.record({ state: fc.constant('approval-responded'), input, approval: refused }),
  ];
  const open = [
    fc.record({ state: fc.constant('input-available'), input }),
    fc.record({
      state: fc.constant('approval-requested'),
      input,
      approval: fc.record(approval, { requiredKeys: ['id'] }),
    }),
    fc.record({ state: fc.constant('approval-responded'), input, approval: granted }),
  ];
  return fc.oneof(...settled, ...(openCalls ? open : []));
}

function toolPart(openCalls: boolean): fc.Arbitrary<object> {
  const head = fc.oneof(
    names.map((name) => ({ type: `tool-${name}` })),
    fc.record(
      { type: fc.constant('dynamic-tool'), toolName: names, dynamic: fc.constant(false) },
      { requiredKeys: ['type', 'toolName'] },
    ),
  );
  const fields = fc.record(
    { providerExecuted: fc.boolean(), callProviderMetadata: providerMetadata, title: texts, toolMetadata: jsonObjects },
    { requiredKeys: [] },
  );
  return fc
    .tuple(head, fields, toolStates(openCalls))
    .map(([type, others, rest]) => ({ ...type, toolCallId: '', ...others, ...rest }));
}

function userMessages({ emptyUserMessages = true }: UIMessageShape): fc.Arbitrary<object> {
  const visible = fc.oneof(textPart, filePart);
  const parts = fc.array(fc.oneof(textPart, filePart, dataPart), { maxLength: 3 });
  return fc.record(
    {
      id: names,
      role: fc.constant('user'),
      metadata: jsonValues,
      parts: emptyUserMessages
        ? parts.filter((list) => list.length > 0)
        : fc.tuple(visible, parts).map(([first, others]) => [first, ...others]),
    },
    { requiredKeys: ['id', 'role', 'parts'] },
  );
}

function assistantMessages(shape: UIMessageShape): fc.Arbitrary<object> {
  const { foreignParts = true, openCalls = true, textAfterCalls = true, unfinishedReasoning = true } = shape;
  const spoken = fc.oneof(
    textPart,
    filePart,
    reasoningPart(unfinishedReasoning),
    ...(foreignParts ? [foreignPart] : []),
  );
  const silent = fc.oneof(dataPart, sourcePart);
  const call = toolPart(openCalls);
  const opening = fc.array(fc.oneof({ arbitrary: spoken, weight: 3 }, silent), { maxLength: 3 });
  const closing = fc.array(textAfterCalls ? fc.oneof(call, silent, spoken) : fc.oneof(call, silent), { maxLength: 3 });
  const step = fc.tuple(opening, closing).map(([first, then]) => [...first, ...then]);
  const steering = fc
    .record({
      type: fc.constant('steering-message'),
      id: names,
      parts: fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text: spokenTexts }), filePart), {
        minLength: 1,
        maxLength: 2,
      }),
    })
    .map((part) => [part]);
  const piece = fc.oneof({ arbitrary: step.map((parts) => [{ type: 'step-start' }, ...parts]), weight: 4 }, steering);
  return fc.record(
    {
      id: names,
      role: fc.constant('assistant'),
      metadata: jsonValues,
      parts: fc.tuple(step, fc.array(piece, { maxLength: 3 })).map(([first, others]) => [...first, ...others.flat()]),
    },
    { requiredKeys: ['id', 'role', 'parts'] },
  );
}

/** The SDK pairs calls and results by id, so every generated call gets a unique id. */
function withUniqueCalls(messages: readonly object[]): object[] {
  let count = 0;
  return messages.map((message) => {
    if (!('parts' in message) || !Array.isArray(message.parts)) return message;
    const parts = message.parts.map((part: object) =>
      'toolCallId' in part ? { ...part, toolCallId: `call_${(count += 1)}` } : part,
    );
    return { ...message, parts };
  });
}
