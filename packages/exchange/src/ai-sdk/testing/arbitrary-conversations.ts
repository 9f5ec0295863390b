import type { AssistantBlock, ImageBlock, Message, TextBlock, ToolBlock, ToolMessage } from '@loom/blocks';
import { isNonEmpty } from '@loom/blocks';
import * as fc from 'fast-check';
import { jsonObjects, names, providerMetadata, spokenTexts, texts, urls } from './arbitrary-values.ts';

function textBlock(): fc.Arbitrary<TextBlock> {
  return texts.map((text) => ({ type: 'text', text }));
}

function imageBlock(): fc.Arbitrary<ImageBlock> {
  return fc
    .tuple(urls, fc.constantFrom('image/png', 'application/pdf'), fc.option(names, { nil: undefined }))
    .map(([url, media_type, filename]) => ({
      type: 'image',
      media_type,
      url,
      ...(filename === undefined ? {} : { filename }),
    }));
}

function userMessage(): fc.Arbitrary<Message[]> {
  const block = fc.oneof(textBlock(), imageBlock());
  return fc
    .tuple(block, fc.array(block, { maxLength: 2 }))
    .map(([first, others]) => [{ role: 'user', content: [first, ...others] }]);
}

function outcome(): fc.Arbitrary<Pick<ToolMessage, 'content' | 'is_error'>> {
  const content: fc.Arbitrary<ToolBlock[]> = fc.array(fc.oneof(textBlock(), imageBlock()), { maxLength: 3 });
  const failed = textBlock().map((block) => ({ content: [block], is_error: true }));
  return fc.oneof(
    content.map((blocks) => ({ content: blocks })),
    failed,
  );
}

function turn(): fc.Arbitrary<Message[]> {
  const thinking: fc.Arbitrary<AssistantBlock> = fc
    .tuple(spokenTexts, fc.option(providerMetadata, { nil: undefined }))
    .map(([text, provider]) => ({ type: 'thinking', text, ...(provider ? { provider } : {}) }));
  const opening = fc.array(fc.oneof(thinking, textBlock(), imageBlock()), { maxLength: 3 });
  const call = fc.record({ name: names, parameters: jsonObjects, outcome: outcome() });
  return fc.tuple(opening, fc.array(call, { maxLength: 3 })).map(([blocks, called]) => {
    const content: AssistantBlock[] = [...blocks];
    const results: ToolMessage[] = [];
    for (const [index, { name, parameters, outcome: given }] of called.entries()) {
      const id = `call_${index}`;
      content.push({ type: 'tool-use', id, name, parameters });
      results.push({ role: 'tool', tool_call_id: id, ...given });
    }
    return isNonEmpty(content) ? [{ role: 'assistant' as const, content }, ...results] : [];
  });
}

/** Conversations that model messages can express: every call answered in order, nothing said between call and result. */
export const conversations: fc.Arbitrary<Message[]> = fc
  .array(fc.oneof(userMessage(), { arbitrary: turn(), weight: 2 }), { minLength: 1, maxLength: 5 })
  .map((groups) => groups.flat().map((message) => structuredClone(message)));
