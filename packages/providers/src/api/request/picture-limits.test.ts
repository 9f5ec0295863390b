import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { toRequest as toAnthropicRequest } from '../../anthropic/to-request.ts';
import { toRequest as toGoogleRequest } from '../../google/to-request.ts';
import { toResponsesRequest } from '../../openai/to-request.ts';
import { requestSaying } from '../../testing/streams.ts';
import { anthropicPictures, picturesTooLarge } from './picture-limits.ts';
import { pictureSize } from './picture-size.ts';

/** Returns the first bytes of a PNG of this size, padded to a length. */
function picture(width: number, height: number, length = 64): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

function showing(...blobs: string[]): Message {
  const [first = '', ...more] = blobs;
  const shown = (blob: string) => ({ type: 'image' as const, media_type: 'image/png', blob, filename: `${blob}.png` });
  return { role: 'user', content: [shown(first), ...more.map(shown)] };
}

test('[AP22] the size of a picture is read from its first bytes', () => {
  assert.deepEqual(pictureSize(picture(300, 200)), { width: 300, height: 200 });
  assert.deepEqual(pictureSize(Buffer.from('GIF89a\x2c\x01\xc8\x00', 'latin1')), { width: 300, height: 200 });
  const jpeg = Buffer.from('ffd8ffe000040000ffc00011080 0c8012c03'.replaceAll(' ', ''), 'hex');
  assert.deepEqual(pictureSize(jpeg), { width: 300, height: 200 });
  const webp = (chunk: string, hex: string) =>
    Buffer.concat([Buffer.from(`RIFF____WEBP${chunk}____`, 'latin1'), Buffer.from(hex.padEnd(40, '0'), 'hex')]);
  assert.deepEqual(pictureSize(webp('VP8 ', '0000009d012a2c01c800')), { width: 300, height: 200 });
  assert.deepEqual(pictureSize(webp('VP8L', '2f2bc13100')), { width: 300, height: 200 });
  assert.deepEqual(pictureSize(webp('VP8X', '000000002b0100c70000')), { width: 300, height: 200 });
  for (const other of [
    '',
    'RIFF',
    'GIF8',
    '\xff\xd8',
    '\xff\xd8\xff',
    '\x89PNG',
    '%PDF-1.7 and more than thirty bytes of it',
  ])
    assert.equal(pictureSize(Buffer.from(other, 'latin1')), undefined, other);
});

test('[AP22] a picture that the vendor would refuse is left out, with its name and the reason', () => {
  const files = new Map([
    ['long', picture(100, 100, 4 * 2 ** 20)],
    ['wide', picture(9000, 10)],
    ['good', picture(100, 100)],
  ]);
  const messages = [showing('long', 'wide', 'good')];
  const request = requestSaying('', { model: 'claude-opus-5', messages });
  const { leftOut, exact } = toAnthropicRequest(request, files);
  assert.deepEqual(
    leftOut.map(({ why }) => why),
    [
      'long.png (image/png) has 5.3 MB as it is sent, and Anthropic takes 5 MB. It was left out.',
      'wide.png (image/png) has 9000 × 10 pixels, and Anthropic takes 8000 on each side. It was left out.',
    ],
  );
  const sent = [...exact.values()].join('');
  assert.equal(sent.split('"type":"image"').length, 2, 'the good one goes along');
  assert.ok(sent.includes('It was left out.'), 'the model knows that there was one');
  for (const toRequest of [toResponsesRequest, toGoogleRequest]) {
    const larger = new Map([['long', picture(100, 100, 80 * 2 ** 20)]]);
    const made = toRequest(requestSaying('', { messages: [showing('long')] }), larger);
    assert.match(made.leftOut[0]?.why ?? '', /^long\.png .* takes \d+ MB\. It was left out\.$/);
  }
});

test('[AP22] of more pictures than a vendor takes the newest stay', () => {
  const names = Array.from({ length: 25 }, (_, index) => `p${index}`);
  const many = new Map(names.map((name) => [name, picture(2500, 10)]));
  const tooMany = picturesTooLarge([showing(...names)], many, anthropicPictures);
  assert.deepEqual([...tooMany.keys()].sort(), ['p0', 'p1', 'p2', 'p3', 'p4']);
  assert.equal(
    picturesTooLarge([showing(...names)], new Map(names.map((name) => [name, picture(2000, 10)])), anthropicPictures)
      .size,
    0,
  );
  const heavy = new Map(names.map((name) => [name, picture(10, 10, 3 * 2 ** 20)]));
  const conversation = names.map((name) => showing(name));
  assert.deepEqual([...picturesTooLarge(conversation, heavy, anthropicPictures).keys()].includes('p24'), false);
  assert.equal(picturesTooLarge(conversation, heavy, anthropicPictures).size, 18);
});
