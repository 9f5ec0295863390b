import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import type { MessageBlock } from '@loom/blocks';
import { anyMessage, anyText } from '@loom/blocks/testing';
import type { ExportSource } from '../source.ts';
import { sampleSource, sampleStart } from './sample-source.ts';
import type { SampleNode } from './sample-source.ts';

const anyTime = fc.nat(1_000_000_000).map((offset) => sampleStart + offset);
const anyIso = anyTime.map((time) => new Date(time).toISOString());
const anyBytes = fc.uint8Array({ maxLength: 64 });

const anyMarks = fc.record(
  {
    title: anyText,
    tags: fc.array(anyText, { minLength: 1, maxLength: 2 }),
    context_start: fc.boolean(),
    continues: fc.boolean(),
    started_at: anyIso,
    ended_at: anyIso,
    custom_data: fc.dictionary(fc.string({ maxLength: 4 }), anyText, { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);

/** Any conversation: forks anywhere, marks, bookmarks, pictures and outputs as blobs, blocks hidden from models. */
export const anySource: fc.Arbitrary<ExportSource> = fc
  .record({
    messages: fc.array(
      fc.record({
        message: anyMessage,
        below: fc.nat(),
        time: anyTime,
        marks: anyMarks,
        bytes: fc.option(anyBytes),
        bookmark: fc.option(anyText),
        hides: fc.boolean(),
      }),
      { maxLength: 12 },
    ),
    title: anyText,
    prompt: anyText,
    tags: fc.array(anyText, { maxLength: 2 }),
  })
  .map(({ messages, title, prompt, tags }) => {
    const blobs = new Map<string, Uint8Array>();
    const bookmarks: Record<string, string> = {};
    const nodes = messages.map(({ message, below, time, marks, bytes, bookmark, hides }, index): SampleNode => {
      const extra: MessageBlock[] = [];
      if (bytes !== null) {
        const blob = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
        blobs.set(blob, bytes);
        extra.push({ type: 'image', media_type: 'image/png', blob });
      }
      if (bookmark !== null) bookmarks[`n${index}`] = bookmark;
      const blocks = [...message.content, ...extra].map((block, place) => ({
        ...block,
        block_id: `root/@test/${index * 100 + place}`,
      }));
      // Mostly below the one before, to get long paths and results after their calls.
      const at = index === 0 ? 0 : below % 3 === 0 ? below % (index + 1) : index - 1;
      const call = messages[at]?.message.content.find(({ type }) => type === 'tool-use');
      const answered = call?.type === 'tool-use' && at !== index ? call.id : undefined;
      const hidden = hides ? blocks.slice(0, 1).map(({ block_id: id }) => id) : [];
      return {
        name: `n${index}`,
        ...(at === index ? {} : { parent: `n${at}` }),
        role: message.role,
        blocks,
        time,
        ...structuredClone(marks),
        ...(message.role === 'tool' ? { tool_call_id: answered ?? message.tool_call_id, tool: 'result' as const } : {}),
        ...(message.role === 'tool' && message.is_error === true ? { is_error: true } : {}),
        ...(hidden.length === 0 ? {} : { exclude: hidden }),
      };
    });
    return sampleSource({ root: { title, tags, config: { systemPrompt: prompt } }, nodes, blobs, bookmarks });
  });
