import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { z } from 'zod';
import { ForestFolder } from '../../testing/forest-folder.ts';

const listed = z.object({
  id: z.string(),
  title: z.string(),
  tags: z.array(z.string()),
  archived: z.boolean().optional(),
});

async function list(folder: ForestFolder, ...words: string[]): Promise<z.infer<typeof listed>[]> {
  const lines = (await folder.succeed(['ls', '--json', ...words])).split('\n').filter(Boolean);
  return lines.map((line) => listed.parse(JSON.parse(line)));
}

test('[LM62] mark tags, moves, archives and renames several conversations, and says what was left as it was', async (context) => {
  const folder = new ForestFolder(context);
  const place = temporaryDirectory(context);
  await folder.succeed(['chat', '--dir', place, '-p', 'echo one']);
  await folder.succeed(['chat', '-p', 'echo two']);
  const roots = (await list(folder)).map(({ id }) => id);
  const [two = '', one = ''] = roots;
  const name = place.split('/').at(-1) ?? '';
  const marked = ['mark', ...roots, '--tag', 'review', '--tag', 'sea', '--project', name];
  assert.equal(await folder.succeed(marked), 'Changed 2 conversations.\n');
  assert.equal(await folder.succeed(marked), 'Nothing has changed.\n');
  for (const { tags } of await list(folder, '--project', name)) assert.deepEqual(tags, ['review', 'sea']);
  assert.equal((await list(folder, '--project', name)).length, 2);
  await folder.succeed(['mark', two, '--untag', 'sea', '--project', 'none', '--title', 'Two', '--archive']);
  const [archived] = await list(folder, '--archived');
  assert.deepEqual([archived?.id, archived?.title, archived?.tags], [two, 'Two', ['review']]);
  assert.equal((await list(folder, '--project', name)).length, 1);
  await folder.succeed(['mark', two, '--unarchive']);
  assert.equal((await list(folder)).length, 2);
  for (const [words, why] of [
    [['mark', one], /nothing is to be changed/u],
    [['mark', one, '--archive', '--unarchive'], /contradict/u],
    [['mark', one, two, '--title', 'x'], /for one conversation/u],
    [['mark', 'root-none', '--archive'], /root-none/u],
    [['mark', one, '--project', 'nowhere'], /there is no project nowhere/u],
  ] as const) {
    const { code, note } = await folder.run([...words]);
    assert.notEqual(code, 0);
    assert.match(note, why);
  }
});

test('[LM63] export writes several conversations, those of a project or all into one archive, and never over another file', async (context) => {
  const folder = new ForestFolder(context);
  const place = temporaryDirectory(context);
  await folder.succeed(['chat', '--dir', place, '-p', 'echo one']);
  await folder.succeed(['chat', '-p', 'echo two']);
  const roots = (await list(folder)).map(({ id }) => id);
  const file = join(temporaryDirectory(context), 'all.zip');
  const { note } = await folder.run(['export', '--all', '--out', file]);
  assert.match(note, /^Wrote 2 conversations, /u);
  const bytes = readFileSync(file);
  assert.equal(bytes.readUInt32LE(0), 0x04034b50);
  for (const root of roots) assert.ok(bytes.includes(`${root}.md`), root);
  await folder.succeed(['export', ...roots, '--format', 'jsonl', '--out', file.replace('all', 'some')]);
  const other = await folder.run(['export', '--project', place, '--out', file]);
  assert.notEqual(other.code, 0);
  assert.match(other.note, /is there already/u);
  assert.deepEqual(readFileSync(file), bytes);
  for (const [words, why] of [
    [['export', '--all'], /one zip archive/u],
    [['export', ...roots, '--out', `${file}.md`], /one zip archive/u],
    [['export', '--all', '--format', 'codex', '--out', `${file}.zip`], /one branch/u],
    [['export', roots[0] ?? '', '--all', '--out', `${file}.zip`], /take no conversations/u],
  ] as const) {
    const { code, note: said } = await folder.run([...words]);
    assert.notEqual(code, 0);
    assert.match(said, why);
  }
  assert.ok(!existsSync(`${file}.zip`));
});
