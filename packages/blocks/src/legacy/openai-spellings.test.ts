import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromOpenAIMessages, toOpenAIMessages } from '@loom/blocks/legacy';

test('[OA8] thinking that is hidden, or comes in pieces, keeps all of its provider data and goes back as it came', () => {
  for (const [part, text, provider] of [
    [{ type: 'redacted_thinking', data: 'z', text: 'x' }, '', 'anthropic'],
    [
      { type: 'thinking', thinking: [{ type: 'text', text: 'h' }, { text: 'm' }, { type: 'reference', ids: [1] }] },
      'hm',
      'mistral',
    ],
    [{ type: 'thinking', thinking: ['h', 'm'], closed: true }, 'hm', 'mistral'],
    [{ type: 'thinking', thinking: 'hm', signature: 's' }, 'hm', 'anthropic'],
  ] as const) {
    const written = { role: 'assistant', content: [part, { type: 'text', text: 'a' }] };
    const conversation = fromOpenAIMessages([written]);
    const [block] = conversation.messages[0]?.content ?? [];
    assert.ok(block?.type === 'thinking');
    assert.deepEqual([block.text, Object.keys(block.provider ?? {})], [text, [provider]]);
    assert.deepEqual(toOpenAIMessages(conversation), [written]);
    assert.deepEqual(conversation.notes, []);
  }
});

test('[OA8] thinking in the spellings of Bedrock and LangChain is read, and reading what was written changes nothing', () => {
  for (const [part, text] of [
    [{ reasoningContent: { redactedContent: 'eA==' } }, ''],
    [{ reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } }, 'hm'],
    [{ type: 'reasoning', reasoning: 'hm', index: 0 }, 'hm'],
    [{ type: 'reasoning', text: 'hm', signature: 's' }, 'hm'],
    [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], id: 'rs_1' }, 'hm'],
    [{ type: 'thinking', text: 'hm', signature: 's' }, 'hm'],
  ] as const) {
    const conversation = fromOpenAIMessages([{ role: 'assistant', content: [part] }]);
    const [block] = conversation.messages[0]?.content ?? [];
    assert.ok(block?.type === 'thinking' && block.provider !== undefined, JSON.stringify(part));
    assert.equal(block.text, text);
    assert.deepEqual(fromOpenAIMessages(toOpenAIMessages(conversation)).messages, conversation.messages);
  }
});

test('[OA9] an address is found under any of its names, and reading what was written changes nothing', () => {
  const url = 'https://example.org/a';
  const image = { url, media_type: 'image/*' };
  const named = (kind: string) => [
    { type: kind, url },
    { type: kind, [kind]: url },
    { type: kind, [`${kind}_url`]: { url } },
  ];
  const table: [parts: object[], media: object][] = [
    [named('image'), image],
    [
      [{ type: 'image', source: url }, { type: 'image', source: { url } }, { image: url }, { image_url: { url } }],
      image,
    ],
    [[{ type: 'image', source_type: 'url', url, mime_type: 'image/png' }], { url, media_type: 'image/png' }],
    [[...named('video'), { type: 'input_video', video_url: url }, { video: url }], { url, media_type: 'video/*' }],
    [
      [...named('audio'), { type: 'input_audio', input_audio: { url } }, { audio: url }],
      { url, media_type: 'audio/*' },
    ],
    [named('document'), { url, media_type: 'application/pdf' }],
    [
      [
        { type: 'file', url },
        { type: 'file', file: { url } },
        { type: 'file_url', file_url: { url } },
      ],
      { url, media_type: 'application/octet-stream' },
    ],
    [[{ type: 'media', mime_type: 'audio/ogg', file_uri: url }], { url, media_type: 'audio/ogg' }],
    [
      [{ type: 'media', mimeType: 'audio/ogg', data: 'AA==' }],
      { url: 'data:audio/ogg;base64,AA==', media_type: 'audio/ogg' },
    ],
    [
      [{ video: { format: 'mp4', source: { s3Location: { uri: 's3://b/k' } } } }],
      { url: 's3://b/k', media_type: 'video/mp4' },
    ],
    [
      [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a b' } }],
      { url: 'data:text/plain,a%20b', media_type: 'text/plain' },
    ],
  ];
  for (const [parts, media] of table) {
    for (const part of parts) {
      const conversation = fromOpenAIMessages([{ role: 'user', content: [part] }]);
      const { provider: _provider, ...block } = conversation.messages[0]?.content[0] ?? {};
      assert.deepEqual(block, { type: 'image', ...media }, JSON.stringify(part));
      assert.deepEqual(fromOpenAIMessages(toOpenAIMessages(conversation)).messages, conversation.messages);
    }
  }
  const { notes } = fromOpenAIMessages([{ role: 'user', content: [{ image: 'a cat' }, { url }] }]);
  assert.deepEqual(
    notes.map(({ tag }) => tag),
    ['part=image', 'part=url'],
  );
});
