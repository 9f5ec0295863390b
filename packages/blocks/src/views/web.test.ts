import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewsOfItem } from './item.ts';
import { viewsOfToolCall, viewsOfToolResult } from './tool-views.ts';

const loom = { id: 'https://example.org/loom', url: 'https://example.org/loom', title: 'Loom' };
const warp = { id: 'https://example.org/warp', url: 'https://example.org/warp', title: 'Warp' };
const page = ({ url, title }: { url: string; title: string }) => ({ url, title });
const sources = [{ type: 'sources', sources: [loom, warp] }];

test('[VW60] the pages of a search are sources, each once', () => {
  const pages = [
    page(loom),
    page(warp),
    page(loom),
    { title: 'no address' },
    { url: 'javascript:alert(1)', title: 'x' },
  ];
  const search = (native: unknown) =>
    viewsOfToolResult({ name: 'WebSearch', parameters: { query: 'loom' } }, { native });
  assert.deepEqual(search({ query: 'loom', results: [{ tool_use_id: 't', content: pages }, 'A summary.'] }), sources);
  assert.deepEqual(search({ results: pages }), sources);
  assert.deepEqual(search(pages.map((result) => ({ type: 'web_search_result', ...result }))), sources);
  assert.deepEqual(search({ results: [] }), []);
});

test('[VW60] where there is only text, its list of links is read', () => {
  const claude = `Web search results for query: "loom"\n\nLinks: ${JSON.stringify([page(loom), page(warp)])}\n\nA summary.`;
  assert.deepEqual(viewsOfToolResult({ name: 'WebSearch', parameters: {} }, { text: claude }), sources);
  const gemini = `A summary.[1]\n\nSources:\n[1] Loom (${loom.url})\n[2] Warp (${warp.url})\n[3] broken`;
  assert.deepEqual(viewsOfToolResult({ name: 'google_web_search', parameters: {} }, { text: gemini }), sources);
  for (const text of ['Links: [broken', 'Links: [1]', 'nothing found']) {
    assert.deepEqual(viewsOfToolResult({ name: 'WebSearch', parameters: {} }, { text }), [], text);
  }
});

test('[VW61] a page that was fetched is a source, once it was fetched', () => {
  const call = { name: 'WebFetch', parameters: { url: loom.url, prompt: 'What is it?' } };
  const source = [{ type: 'sources', sources: [{ ...loom, title: '' }] }];
  assert.deepEqual(viewsOfToolCall(call), []);
  assert.deepEqual(viewsOfToolResult(call, { text: 'A machine.' }), source);
  assert.deepEqual(viewsOfToolResult(call, { native: { url: warp.url, code: 200 } }), [
    { type: 'sources', sources: [{ ...warp, title: '' }] },
  ]);
  assert.deepEqual(viewsOfToolResult(call, { text: 'no', is_error: true }), []);
});

test('[VW60] the pages that a search of Codex found are sources where a version tells them', () => {
  const results = [
    { type: 'result', title: 'Looms', url: 'https://example.org/loom', snippet: 'x' },
    { title: 'Again', url: 'https://example.org/loom' },
    { url: 'not a page' },
  ];
  const item = { action: { type: 'search', query: 'loom' }, results };
  const sources = [{ id: 'https://example.org/loom', url: 'https://example.org/loom', title: 'Looms' }];
  for (const type of ['WebSearch', 'Extension', 'web_search']) {
    assert.deepEqual(viewsOfItem({ ...item, type }), [{ type: 'sources', sources }]);
  }
});
