import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamPart } from '../api/api.ts';
import { createResponsesReader } from './responses-reader.ts';

const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] };
const said = ['text-start 0', 'text-delta 0 Yes.', 'text-end 0'];

test('[PV55] an item is told whether it comes in pieces, whole at its end, or under other ids in every event', () => {
  const added = { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } };
  const done = { type: 'response.output_item.done', output_index: 0, item: message };
  const delta = { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', delta: 'Yes.' };
  assert.deepEqual(linesOf([added, delta, done]), said);
  assert.deepEqual(linesOf([added, done]), said);
  assert.deepEqual(linesOf([{ type: 'response.output_item.done', item: message }]), said);
  const rotated = { ...done, item: { ...message, id: 'msg_3' } };
  assert.deepEqual(linesOf([added, { ...delta, item_id: 'msg_2' }, rotated]), said);
});

test('[PV55] each part of a summary is a thought, and the last one keeps the encrypted form', () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [] };
  const place = { output_index: 0, item_id: 'rs_1' };
  const parts = read([
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.reasoning_summary_part.added', ...place, summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta: 'One.' },
    { type: 'response.reasoning_summary_part.added', ...place, summary_index: 1 },
    { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 1, delta: 'Two.' },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, encrypted_content: 'sealed' } },
  ]);
  const own = { openai: { itemId: 'rs_1' } };
  const sealed = { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sealed' } };
  assert.deepEqual(parts, [
    { type: 'reasoning-start', id: '0:1', providerMetadata: own },
    { type: 'reasoning-delta', id: '0:1', delta: 'One.' },
    { type: 'reasoning-end', id: '0:1', providerMetadata: own },
    { type: 'reasoning-start', id: '0:2', providerMetadata: own },
    { type: 'reasoning-delta', id: '0:2', delta: 'Two.' },
    { type: 'reasoning-end', id: '0:2', providerMetadata: sealed },
  ]);
});

test('[PV57] a call of a custom tool is told with the text that it was given, in pieces, whole, or empty', () => {
  const place = { output_index: 0, item_id: 'ctc_1' };
  const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'apply_patch', input: '*** a\n"b' };
  const added = { type: 'response.output_item.added', ...place, item: { ...item, input: '' } };
  const delta = { type: 'response.custom_tool_call_input.delta', ...place, delta: item.input };
  const done = { type: 'response.output_item.done', ...place, item };
  const start = { type: 'tool-input-start', id: 'call_1', toolName: 'apply_patch' };
  const own = { itemId: 'ctc_1', callType: 'custom_tool_call' };
  const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'apply_patch', input: item.input };
  const end = { ...call, providerMetadata: { openai: own } };
  assert.deepEqual(read([added, delta, done]), [
    start,
    { type: 'tool-input-delta', id: 'call_1', delta: item.input },
    end,
  ]);
  assert.deepEqual(read([done]), [start, end]);
  assert.deepEqual(read([{ ...done, item: { ...item, input: '' } }]).at(-1), {
    ...call,
    input: '',
    providerMetadata: { openai: { ...own, input: '' } },
  });
  const [finish] = read([done, { type: 'response.completed', response: {} }]).slice(-1);
  assert.ok(finish?.type === 'finish');
  assert.equal(finish.finishReason.unified, 'tool-calls');
});

test('[PV57] calls of the local shell and of a computer are kept', () => {
  for (const type of ['local_shell_call', 'shell_call', 'computer_call']) {
    const item = { type, id: 'x_1', call_id: 'call_1', action: {} };
    const done = { type: 'response.output_item.done', output_index: 0, item };
    assert.deepEqual(read([done]), [{ type: 'raw', rawValue: item }]);
  }
});

test('[PV55] what nothing in Loom stands for is kept, and the end tells why and at what cost', () => {
  const list = { type: 'mcp_list_tools', id: 'mcpl_1', tools: [] };
  const surprise = { type: 'response.surprise', delta: 'x' };
  const lost = { type: 'response.output_text.delta', output_index: 7, delta: 'x' };
  assert.deepEqual(read([{ type: 'response.output_item.done', output_index: 0, item: list }, surprise, lost]), [
    { type: 'raw', rawValue: list },
    { type: 'raw', rawValue: surprise },
    { type: 'raw', rawValue: lost },
  ]);
  const usage = {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 5,
    output_tokens_details: null,
  };
  const [end] = read([
    { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' }, usage } },
  ]);
  assert.ok(end?.type === 'finish');
  assert.equal(end.finishReason.unified, 'length');
  assert.deepEqual(
    [end.usage.inputTokens.total, end.usage.inputTokens.cacheRead, end.usage.outputTokens.total],
    [9, 4, 5],
  );
});

function linesOf(events: readonly object[]): string[] {
  return read(events).map((part) => {
    const words = [part.type, 'id' in part ? part.id : '', 'delta' in part ? part.delta : ''];
    return words.filter((word) => word !== '').join(' ');
  });
}

function read(events: readonly object[]): StreamPart[] {
  const reader = createResponsesReader();
  return events.flatMap((event) => reader(event) ?? []);
}
