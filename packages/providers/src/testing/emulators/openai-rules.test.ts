import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Received, Refusal } from './core.ts';
import { refuseChat, refuseTemplated } from './openai-chat-rules.ts';
import { refuseResponse, sealOf } from './openai-responses-rules.ts';

const hello = { role: 'user', content: 'hello' };

test('[PV54] the emulators of OpenAI refuse what is wrong at the door', () => {
  const whole = received('/v1/chat/completions', { model: 'gpt-4o', messages: [hello] });
  const door = (more: Partial<Received>): number | undefined => refuseChat({ ...whole, ...more })?.status;
  assert.equal(door({}), undefined);
  assert.equal(door({ headers: {} }), 401);
  assert.equal(door({ headers: { authorization: 'Bearer wrong' } }), 401);
  assert.equal(door({ path: '/v1/responses' }), 404);
  assert.equal(door({ json: undefined }), 400);
  assert.equal(door({ json: { messages: [hello] } }), 400);
  assert.equal(door({ json: { model: 'claude', messages: [hello] } }), 404);
  assert.equal(door({ json: { model: 'gpt-4o', messages: [{ role: 'user', content: '\ud83e' }] } }), 400);
});

test('[PV54] the emulator of the Responses API refuses what the API refuses', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: sealOf('rs_1', 'gpt-5.5') };
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c', output: '' };
  const search = { type: 'web_search_call', id: 'ws_1_after_rs_1', status: 'completed' };
  const said = { role: 'assistant', content: 'yes' };
  const answered = (input: unknown, more: object = {}): string | undefined =>
    wordsOf(refuseResponse, '/v1/responses', { model: 'gpt-5.5', store: false, input, ...more });
  const refused = (input: unknown, words: RegExp, more: object = {}): void => {
    assert.match(answered(input, more) ?? 'accepted', words);
  };
  assert.equal(answered([hello, reasoning, said, hello]), undefined);
  assert.equal(answered([hello, reasoning, call, output, reasoning, said]), undefined);
  assert.equal(answered([hello, reasoning, search, said, hello]), undefined);
  assert.equal(answered([hello], { temperature: 0.5, reasoning: { effort: 'none' } }), undefined);
  refused([], /Missing required parameter: 'input'/);
  refused([{ role: 'user', content: [] }], /empty array/);
  refused([{ role: 'user', content: '' }], /empty string/);
  refused([{ role: 'user', content: [{ type: 'text', text: 'x' }] }], /Supported values are: 'input_text'/);
  refused([{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }], /'output_text' and 'refusal'/);
  const bitmap = { type: 'input_image', image_url: 'data:image/bmp;base64,AA' };
  refused([{ role: 'user', content: [bitmap] }], /unsupported image/);
  refused([{ role: 'model', content: 'x' }], /Invalid value: 'model'/);
  refused([hello, call], /No tool output found for function call c/);
  refused([hello, call, hello, output], /No tool output found for function call c/);
  refused([hello, output], /No tool call found for function call output with call_id c/);
  refused([hello, call, output, output], /No tool call found/);
  refused([hello, call, output, call, output], /Duplicate item found/);
  refused([hello, { ...call, call_id: 'x'.repeat(65) }], /maximum length 64/);
  refused([hello, { ...call, name: 'a.b' }], /does not match pattern/);
  refused([hello, { ...call, arguments: {} }], /expected a string/);
  refused([hello, { ...reasoning, encrypted_content: undefined }, said], /not persisted when `store` is set to false/);
  refused([{ type: 'item_reference', id: 'msg_1' }], /not persisted/);
  refused([hello, reasoning], /without its required following item/);
  refused([hello, reasoning, hello], /without its required following item/);
  refused([hello, { ...reasoning, encrypted_content: 'other' }, said], /could not be verified/);
  refused([hello, reasoning, said], /could not be verified/, { model: 'gpt-5.4' });
  refused([hello, search, said], /without its required 'reasoning' item: 'rs_1'/);
  refused([hello], /below minimum value/, { max_output_tokens: 15 });
  refused([hello], /'max_tokens'/, { max_tokens: 100 });
  refused([hello], /'temperature' is not supported/, { temperature: 0.5 });
  refused([hello], /'reasoning.effort' is not supported/, { model: 'gpt-4o', reasoning: { effort: 'low' } });
  refused([hello], /Encrypted content/, { model: 'gpt-4o', include: ['reasoning.encrypted_content'] });
  refused([hello], /does not match pattern/, { tools: [tool('a b')] });
  refused([hello], /maximum length 64/, { tools: [tool('a'.repeat(65))] });
  refused([hello], /type: "object"/, { tools: [tool('f', {})] });
  refused([hello], /missing properties/, { tools: [tool('f', { type: 'object' })] });
  refused([hello], /Duplicate tool names/, { tools: [tool('f'), tool('f')] });
});

test('[PV54] the emulators of chat completions refuse what these refuse', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const called = { role: 'assistant', content: null, tool_calls: [call] };
  const result = { role: 'tool', tool_call_id: 'c', content: '' };
  const picture = { type: 'image_url', image_url: { url: 'https://x.example/a.png' } };
  const answered = (messages: unknown, more: object = {}): string | undefined =>
    wordsOf(refuseChat, '/v1/chat/completions', { model: 'gpt-4o', messages, ...more });
  const refused = (messages: unknown, words: RegExp, more: object = {}): void => {
    assert.match(answered(messages, more) ?? 'accepted', words);
  };
  assert.equal(answered([hello, called, result]), undefined);
  assert.equal(answered([{ role: 'user', content: [picture] }]), undefined);
  refused([], /empty array/);
  refused([{ role: 'user', content: [] }], /empty array/);
  refused([hello, { role: 'assistant', content: null }], /expected a string, got null/);
  refused([hello, { role: 'assistant', content: 'x', tool_calls: [] }], /empty array/);
  refused([hello, called], /did not have response messages: c/);
  refused([hello, called, hello], /did not have response messages: c/);
  refused([hello, result], /must be a response to a preceeding message/);
  refused([hello, called, result, result], /must be a response to a preceeding message/);
  refused([hello, { ...called, tool_calls: [call, call] }], /Duplicate value for 'tool_call_id'/);
  refused([hello, { ...called, tool_calls: [{ ...call, id: 'x'.repeat(41) }] }], /maximum length 40/);
  refused([hello, { ...called, tool_calls: [{ ...call, type: undefined }] }], /tool_calls\[0\]\.type/);
  const spelled = (text: unknown): object => ({ ...call, function: { name: 'f', arguments: text } });
  refused([hello, { ...called, tool_calls: [spelled({})] }], /expected a string/);
  refused([hello, called, { ...result, content: [picture] }], /only allowed for messages with role 'user'/);
  refused([{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///a' } }] }], /unsupported image/);
  refused([hello], /Use 'max_completion_tokens' instead/, { model: 'gpt-5.5', max_tokens: 100 });
  refused([hello], /'temperature' is not supported/, { model: 'o3', temperature: 0.5 });
  refused([hello], /integer below minimum/, { max_tokens: 0 });
  refused([hello], /Unknown parameter: 'max_output_tokens'/, { max_output_tokens: 100 });
  refused([hello], /reasoning_effort/, { reasoning_effort: 'low' });
  refused([hello], /does not match pattern/, { tools: [tool('a.b')] });

  const malformed = [hello, { ...called, tool_calls: [spelled('{"a": ')] }, result];
  const templated = (messages: unknown): string =>
    wordsOf(refuseTemplated, '/v1/chat/completions', { model: 'local-model', messages }) ?? 'accepted';
  assert.equal(answered(malformed), undefined);
  assert.match(templated(malformed), /Expecting value/);
  assert.match(templated([{ role: 'assistant', content: 'x' }, hello]), /roles must alternate/);
});

function tool(name: string, parameters: object = { type: 'object', properties: {} }): object {
  return { type: 'function', name, parameters, function: { name, parameters } };
}

function wordsOf(refuse: (request: Received) => Refusal | undefined, path: string, json: object): string | undefined {
  return refuse(received(path, json))?.message;
}

function received(path: string, json: object): Received {
  const headers = { authorization: 'Bearer key' };
  return { method: 'POST', path, headers, json, body: '', isLeft: Promise.resolve(false) };
}
