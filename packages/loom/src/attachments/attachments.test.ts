import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { anthropicWire, startEmulator } from '@loom/providers/testing';
import { ForestFolder } from '../testing/forest-folder.ts';
import { placeOf } from './attachment.ts';
import { completePath } from './complete-path.ts';
import { kindOfFile } from './file-kind.ts';
import { findMentions } from './mentions.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

function folderWithFiles(context: TestContext): string {
  const directory = temporaryDirectory(context);
  writeFileSync(join(directory, 'dot.png'), png);
  writeFileSync(join(directory, 'paper.pdf'), '%PDF-1.7\n%\xE2\xE3\n');
  writeFileSync(join(directory, 'notes.md'), 'three ``` ticks\nand ünïcode');
  writeFileSync(join(directory, 'two words.txt'), 'x');
  writeFileSync(join(directory, 'empty'), '');
  writeFileSync(join(directory, 'sound.wav'), Buffer.from([0x52, 0x49, 0x46, 0x46, 0, 255, 0, 1]));
  writeFileSync(join(directory, 'huge.bin'), '');
  truncateSync(join(directory, 'huge.bin'), 21 * 1024 * 1024);
  writeFileSync(join(directory, 'long.txt'), 'x'.repeat(1024 * 1024 + 1));
  mkdirSync(join(directory, 'inside'));
  writeFileSync(join(directory, 'inside', 'deep.ts'), 'let x;\n');
  symlinkSync('nowhere', join(directory, 'broken'));
  return directory;
}

test('[MO40] what a file is, its first bytes say', () => {
  const kinds: [bytes: Uint8Array, kind: string][] = [
    [png, 'image/png'],
    [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
    [Buffer.from('GIF89a'), 'image/gif'],
    [Buffer.from('RIFF\x01\x02\x03\x04WEBPVP8 ', 'latin1'), 'image/webp'],
    [Buffer.from('%PDF-2.0'), 'application/pdf'],
    [Buffer.from('plain ünïcode'), 'text'],
    [Buffer.from('a\0b'), 'unknown'],
    [Buffer.from([0xff, 0xfe, 0x41, 0x00]), 'unknown'],
    [Buffer.from('PNG'), 'text'],
  ];
  for (const [bytes, expected] of kinds) {
    const kind = kindOfFile(bytes);
    assert.equal(kind.type === 'media' ? kind.mediaType : kind.type, expected);
  }
});

test('[MO41] files that words name are found; other words with an @ are words', () => {
  const files = ['a.ts', 'b/c.md', '~/d', 'two words.txt'];
  const find = (text: string): string[] => findMentions(text, (path) => files.includes(path));
  assert.deepEqual(find('compare @a.ts, and (@x) with @b/c.md.'), ['a.ts', 'b/c.md']);
  assert.deepEqual(find('@"two words.txt" @~/d @a.ts @a.ts'), ['two words.txt', '~/d', 'a.ts']);
  assert.deepEqual(find('me@a.ts @types/node @ann: @ hello'), []);
  // These can be nothing but paths, so a mistake in one is reported.
  assert.deepEqual(find('@./gone.ts and @/no/such, @../x'), ['./gone.ts', '/no/such', '../x']);
});

test('[MO41] Tab completes the path behind an @', (context) => {
  const directory = folderWithFiles(context);
  const complete = (line: string): string[] =>
    completePath(line, { directory, env: { HOME: directory } })?.candidates ?? ['none'];
  assert.deepEqual(complete('look at @in'), ['@inside/']);
  assert.deepEqual(complete('@inside/'), ['@inside/deep.ts ']);
  assert.deepEqual(complete('@~/inside/d'), ['@~/inside/deep.ts ']);
  assert.deepEqual(complete('@./no'), ['@./notes.md ']);
  assert.ok(complete('@').includes('@dot.png '));
  assert.deepEqual(complete('@nothing/'), []);
  assert.deepEqual([complete('mail me@in'), complete('in')], [['none'], ['none']]);
});

test("[MO41] files of the conversation's folder are named and completed too, after those of the folder that the person is in", (context) => {
  const [here, folder] = [folderWithFiles(context), folderWithFiles(context)];
  writeFileSync(join(folder, 'inside', 'own.ts'), '');
  const scope = { directory: here, folder, env: {} };
  assert.equal(placeOf('inside/own.ts', scope), join(folder, 'inside', 'own.ts'));
  assert.equal(placeOf('inside/deep.ts', scope), join(here, 'inside', 'deep.ts'));
  assert.equal(placeOf('gone', scope), join(here, 'gone'));
  assert.deepEqual(completePath('@inside/', scope)?.candidates, ['@inside/deep.ts ', '@inside/own.ts ']);
});

test('[MO40] files reach the model as pictures, documents and text, before the words', async (context) => {
  const directory = folderWithFiles(context);
  const folder = new ForestFolder(context);
  const emulator = await startEmulator(anthropicWire, () => ({ said: [{ say: 'Seen.' }] }));
  context.after(() => emulator.close());
  await folder.succeed(['config', 'set', 'providers.anthropic.baseURL', emulator.url]);
  const env = { ANTHROPIC_API_KEY: 'k' };
  const at = (name: string): string => join(directory, name);
  const args = ['-a', at('dot.png'), '--attach', at('paper.pdf'), '-m', 'claude-haiku-4-5'];
  const { code, note } = await folder.run(['chat', ...args, '-p', `sum up @${at('notes.md')}!`], { env });
  assert.equal(code, 0, note);
  assert.match(
    note,
    /^Attached .*dot\.png \(image\/png, 68 bytes\)\.\nAttached .*paper\.pdf \(application\/pdf, .*\nAttached .*notes\.md \(text, /,
  );
  const body = emulator.requests[0]?.body ?? '';
  assert.ok(body.includes(png.toString('base64')) && body.includes('"application/pdf"'));
  assert.ok(body.includes(JSON.stringify('notes.md:\n````md\nthree ``` ticks\nand ünïcode\n````\n').slice(1, -1)));
  assert.ok(body.indexOf('image/png') < body.indexOf('sum up'));
  // Piped text may come from others: it names no files.
  const piped = await folder.run(['chat', '-m', 'claude-haiku-4-5', '-p', 'read this'], {
    env,
    input: `@${at('notes.md')}\n`,
  });
  assert.deepEqual([piped.code, piped.note], [0, '']);
  assert.ok(!(emulator.requests[1]?.body ?? '').includes('ünïcode'));
});

test('[MO42] what cannot be attached, or the model does not take, is said, and nothing is sent', async (context) => {
  const directory = folderWithFiles(context);
  const folder = new ForestFolder(context);
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  const refusals: [file: string, says: RegExp][] = [
    ['gone.txt', /there is no file .*gone\.txt\nCheck its name/],
    ['broken', /there is no file/],
    ['inside', /inside is a folder\n/],
    ['empty', /is empty/],
    ['sound.wav', /neither a picture nor a PDF nor text\nPNG, JPEG/],
    ['huge.bin', /has 21 MB\nAt most 20 MB/],
    ['pipe', /is not a regular file\nAttach a copy/],
    ['long.txt', /is a text of 1 MB\nAt most 1 MB of text/],
  ];
  for (const [file, says] of refusals) {
    const { code, out, note } = await folder.run(['chat', '--attach', join(directory, file), '-p', 'hi']);
    assert.deepEqual([code, out], [1, ''], file);
    assert.match(note, says);
    assert.match(note, /Nothing was sent\.\n$/);
  }
  const env = { OPENAI_API_KEY: 'k' };
  const blind = await folder.run(
    ['chat', '-m', 'openai/gpt-3.5-turbo', '--attach', join(directory, 'dot.png'), '-p', 'hi'],
    { env },
  );
  assert.match(blind.note, /openai\/gpt-3\.5-turbo takes no pictures, such as .*dot\.png\nChoose another model/);
  assert.equal(await folder.succeed(['tree']), '');
});
