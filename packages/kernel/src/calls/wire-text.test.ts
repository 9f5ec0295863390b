import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut } from './wire-text.ts';

test('[IN5] JSON is laid out, behind the head of an HTTP message too', () => {
  assert.equal(layOut('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
  assert.equal(
    layOut('POST https://example.test/v1\r\ncontent-type: application/json\r\n\r\n{"a":1}'),
    'POST https://example.test/v1\r\ncontent-type: application/json\n\n{\n  "a": 1\n}',
  );
});

test('[IN5] each event of a stream is a line, with its name where its data does not say it', () => {
  assert.equal(layOut('{"a": 1}\n{"b": 2}\n'), '{"a":1}\n{"b":2}');
  assert.equal(
    layOut('event: ping\ndata: {"type": "ping"}\n\nevent: x\ndata: {"a": 1}\n\n: comment\n\ndata: [DONE]\n\n'),
    '{"type":"ping"}\nx {"a":1}\n: comment\n[DONE]',
  );
  assert.equal(layOut('200 OK\nx: y\n\ndata: {"a":1}\n\n'), '200 OK\nx: y\n\n{"a":1}');
});

test('[IN5] what is neither JSON nor a stream stays as it is', () => {
  assert.equal(layOut('<html>\n\n</html>\n'), '<html>\n\n</html>');
  assert.equal(layOut(''), '');
  assert.equal(layOut('{"cut": "in the mid'), '{"cut": "in the mid');
});
