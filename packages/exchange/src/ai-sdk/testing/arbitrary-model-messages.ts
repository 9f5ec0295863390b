import * as fc from 'fast-check';
import type { AssistantPart, FilePart, ModelMessage, TextPart, ToolResultOutput } from '../model-message.ts';
import {
  jsonObjects,
  jsonValues,
  mediaTypes,
  names,
  providerMetadata,
  references,
  texts,
  urls,
} from './arbitrary-values.ts';

const providerOptions = fc.option(providerMetadata, { nil: undefined });

function withOptions<T extends object>(part: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc
    .tuple(part, providerOptions)
    .map(([fields, options]) => (options ? { ...fields, providerOptions: options } : fields));
}

function textPart(): fc.Arbitrary<TextPart> {
  return withOptions(texts.map((text) => ({ type: 'text', text })));
}

function filePart(): fc.Arbitrary<FilePart> {
  const data = fc.oneof(
    urls.map((url) => ({ type: 'url' as const, url: new URL(url) })),
    fc.constantFrom('AQID', 'iVBORw0KGgo=').map((data) => ({ type: 'data' as const, data })),
    fc.uint8Array({ maxLength: 4, minLength: 1 }).map((data) => ({ type: 'data' as const, data })),
    references.map((reference) => ({ type: 'reference' as const, reference })),
    texts.map((text) => ({ type: 'text' as const, text })),
  );
  return withOptions(
    fc.tuple(data, mediaTypes, fc.option(texts, { nil: undefined })).map(([data, mediaType, filename]) => ({
      type: 'file',
      mediaType,
      data,
      ...(filename === undefined ? {} : { filename }),
    })),
  );
}

function reasoningPart(): fc.Arbitrary<AssistantPart> {
  return withOptions(texts.map((text) => ({ type: 'reasoning', text })));
}

function output(): fc.Arbitrary<ToolResultOutput> {
  const plain = fc.oneof(
    texts.map((value) => ({ type: 'text' as const, value })),
    jsonValues.map((value) => ({ type: 'json' as const, value })),
    texts.map((value) => ({ type: 'error-text' as const, value })),
    jsonValues.map((value) => ({ type: 'error-json' as const, value })),
    fc.constant({ type: 'execution-denied' as const }),
    texts.map((reason) => ({ type: 'execution-denied' as const, reason })),
  );
  const content = fc
    .array(fc.oneof(textPart(), filePart()), { minLength: 1, maxLength: 3 })
    .map((value) => ({ type: 'content' as const, value }));
  return fc.oneof(withOptions(plain), content);
}

function userMessage(): fc.Arbitrary<ModelMessage[]> {
  const content = fc.array(fc.oneof(textPart(), filePart()), { minLength: 1, maxLength: 3 });
  return withOptions(content.map((parts) => ({ role: 'user' as const, content: parts }))).map((message) => [message]);
}

/** One assistant message and the tool message that answers it. */
function turn(): fc.Arbitrary<ModelMessage[]> {
  const spoken = fc.oneof(textPart(), filePart(), reasoningPart());
  const call = fc.record({
    name: names,
    input: fc.oneof(jsonObjects, jsonValues),
    output: output(),
    options: providerOptions,
  });
  return fc
    .record({
      opening: fc.array(spoken, { maxLength: 2 }),
      providerRun: fc.array(call, { maxLength: 1 }),
      middle: fc.array(spoken, { maxLength: 1 }),
      called: fc.array(call, { maxLength: 2 }),
      options: providerOptions,
      toolOptions: providerOptions,
    })
    .filter(({ opening, providerRun, middle, called }) =>
      [opening, providerRun, middle, called].some((list) => list.length > 0),
    )
    .map(({ opening, providerRun, middle, called, options, toolOptions }) => {
      let count = 0;
      const content: AssistantPart[] = [...opening];
      const results: Extract<AssistantPart, { type: 'tool-result' }>[] = [];
      const add = (
        { name, input, output: given, options: own }: typeof call extends fc.Arbitrary<infer C> ? C : never,
        inline: boolean,
      ): void => {
        const toolCallId = `call_${(count += 1)}`;
        const field = own ? { providerOptions: own } : {};
        content.push({
          type: 'tool-call',
          toolCallId,
          toolName: name,
          input,
          ...(inline ? { providerExecuted: true } : {}),
          ...field,
        });
        const result = { type: 'tool-result' as const, toolCallId, toolName: name, output: given, ...field };
        // A denial comes from outside even if the provider runs the tool.
        if (inline && given.type !== 'execution-denied') content.push(result);
        else results.push(result);
      };
      for (const each of providerRun) add(each, true);
      // No text may follow a call that waits for its result.
      if (results.length === 0) content.push(...middle);
      for (const each of called) add(each, false);
      const field = options ? { providerOptions: options } : {};
      const toolField = toolOptions ? { providerOptions: toolOptions } : {};
      const message: ModelMessage = { role: 'assistant', content, ...field };
      return results.length === 0 ? [message] : [message, { role: 'tool' as const, content: results, ...toolField }];
    });
}

/** Ids are unique in a turn; numbering the turns makes them unique in the conversation. */
function inTurn(turn: number, message: ModelMessage): ModelMessage {
  if (message.role === 'system' || message.role === 'user') return message;
  const named = <P extends AssistantPart>(part: P): P =>
    'toolCallId' in part ? { ...part, toolCallId: `turn_${turn}_${part.toolCallId}` } : part;
  return message.role === 'assistant'
    ? { ...message, content: message.content.map(named) }
    : { ...message, content: message.content.map(named) };
}

/** Model messages in the one spelling that Loom writes, each call answered: the subset that both sides can express. */
export const modelMessages: fc.Arbitrary<ModelMessage[]> = fc
  .array(fc.oneof(userMessage(), { arbitrary: turn(), weight: 2 }), { minLength: 1, maxLength: 4 })
  .map((groups) => groups.flatMap((group, index) => group.map((message) => inTurn(index, message))));
