import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestProblem } from './google-rules.ts';

const hello = { role: 'user', parts: [{ text: 'Hello' }] };
const call = { functionCall: { name: 'f', args: {} }, thoughtSignature: 'c2ln' };
const response = { functionResponse: { name: 'f', response: { output: 'x' } } };
const model = (...parts: object[]): object => ({ role: 'model', parts });
const user = (...parts: object[]): object => ({ role: 'user', parts });

test('[GO15] the emulator of Gemini refuses what the API refuses', () => {
  const refused = (contents: unknown, words: RegExp, more: object = {}, name = 'gemini-3-pro-preview'): void => {
    assert.match(requestProblem({ contents, ...more }, name) ?? '', words);
  };
  refused([], /contents is not specified/);
  refused([{ role: 'assistant', parts: [{ text: 'x' }] }], /valid role/);
  refused([user()], /parts must not be empty/);
  refused([user({ thought: true })], /required oneof field 'data'/);
  refused([user({ text: 'a', inlineData: { mimeType: 'image/png', data: '' } })], /already set/);
  refused([user({ text: 'a', id: 'x' })], /Unknown name "id" at 'contents\[0\]\.parts\[0\]'/);
  refused([hello, model({ ...call, thoughtSignature: 'not base64!' })], /Base64 decoding failed/);
  refused([model(call), user(response)], /immediately after a user turn/);
  refused([hello, user(response)], /immediately after a function call turn/);
  refused([hello, model(call, call), user(response)], /number of function response parts/);
  refused([hello, model(call), user({ text: 'no result' })], /number of function response parts/);
  refused([hello, model(call), user({ functionResponse: { name: 'g', response: {} } })], /names of the functions/);
  refused([hello, model({ functionCall: { name: 'f', args: 'x' } })], /protobuf\.Struct/);
  refused([hello, model({ functionCall: call.functionCall }), user(response)], /missing a thought_signature/);
  refused([user({ inlineData: { mimeType: 'application/zip', data: 'AA==' } })], /Unsupported MIME type/);
  refused([hello], /Invalid function name/, { tools: [{ functionDeclarations: [{ name: '1f' }] }] });
  refused([hello], /Duplicate function/, { tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'f' }] }] });
  const both = { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] };
  refused([hello], /function calling is unsupported/, both, 'gemini-2.5-flash');
  refused([hello], /max_output_tokens/, { generationConfig: { maxOutputTokens: 0 } });
  refused([hello], /Thinking is not enabled/, { generationConfig: { thinkingConfig: {} } }, 'gemini-2.0-flash');
  const tooMuch = { generationConfig: { thinkingConfig: { thinkingBudget: 99_999 } } };
  refused([hello], /between 128 and 32768/, tooMuch, 'gemini-2.5-pro');
});

test('[GO15] and accepts what it accepts: older calls without a signature, two answers in a row, both spellings', () => {
  const unsigned = model({ function_call: { name: 'f', args: {} } });
  const contents = [hello, unsigned, user({ function_response: { name: 'f', response: {} } }), user({ text: 'And?' })];
  assert.equal(requestProblem({ contents, generation_config: {} }, 'gemini-3-pro-preview'), undefined);
  assert.equal(
    requestProblem({ contents: [hello, model(call), model(call), user(response, response)] }, 'gemini-3-pro'),
    undefined,
  );
});
