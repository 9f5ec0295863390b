import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoomError } from '../command-line/failure.ts';
import { listenAt, readListeningPlace } from './listening-place.ts';

/** Listens on no port that is taken, and tells where it was asked to. */
function fakeServer(isTaken: (port: number) => boolean) {
  const asked: number[] = [];
  const listen = async ({ port }: { port: number }): Promise<string> => {
    asked.push(port);
    if (isTaken(port)) throw Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });
    return `http://127.0.0.1:${port === 0 ? 50_000 : port}`;
  };
  return { asked, listen };
}

const usual = { host: '127.0.0.1', port: 4177, names: [], isChosen: false };

test('[SV40] [SV43] where the usual port is taken a free one is used and told of; where one was named, or none is free, that is said', async () => {
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  assert.equal(
    await listenAt(
      usual,
      fakeServer((port) => port === 4177),
      note,
    ),
    'http://127.0.0.1:50000',
  );
  assert.deepEqual(notes.splice(0), ['Port 4177 is taken by another program, so a free one is used.\n']);
  const chosen = fakeServer((port) => port === 4177);
  await assert.rejects(listenAt({ ...usual, isChosen: true }, chosen, note), { code: 'port-taken' });
  assert.deepEqual(chosen.asked, [4177]);
  await assert.rejects(
    listenAt(
      usual,
      fakeServer(() => true),
      note,
    ),
    (error: unknown) => {
      assert.ok(error instanceof LoomError);
      assert.deepEqual([error.code, error.message], ['no-free-port', 'no port of 127.0.0.1 is free']);
      return true;
    },
  );
});

test('[SV43] [SV88] names that are given one by one add up; the address of a proxy is one without a path', () => {
  const read = (names: string[], publicUrl?: string) =>
    readListeningPlace({
      options: new Map(publicUrl === undefined ? [] : [['public-url', publicUrl]]),
      repeated: new Map([['name', names]]),
    });
  assert.deepEqual(read(['a.example:1', 'b.example:2, c.example']).names, ['a.example:1', 'b.example:2', 'c.example']);
  assert.equal(read([], 'https://Loom.example/').publicUrl, 'https://loom.example');
  for (const wrong of ['loom.example', 'ftp://loom.example', 'https://loom.example/chat', 'https://me@loom.example'])
    assert.throws(() => read([], wrong), /--public-url takes a web address/u, wrong);
  assert.throws(() => read(['a.example', 'b c']), /--name takes names/u);
});
