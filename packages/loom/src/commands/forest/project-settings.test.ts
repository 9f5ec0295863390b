import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { ForestFolder } from '../../testing/forest-folder.ts';

test('[LM61] projects shows and changes the settings of a project, by its name or a folder, and a chat there takes its model', async (context) => {
  const folder = new ForestFolder(context);
  const place = temporaryDirectory(context);
  writeFileSync(join(place, 'AGENTS.md'), 'Be brief.\n');
  await folder.succeed(['chat', '--dir', place, '-p', 'echo one']);
  const before = await folder.succeed(['projects', 'show', place]);
  assert.match(before, /^model +the default model$/mu);
  assert.match(before, /^instructions +on: .*AGENTS\.md \(10 bytes\)$/mu);

  const after = await folder.succeed(['projects', 'configure', place, 'model', 'demo:terse']);
  assert.match(after, /^model +demo:terse$/mu);
  assert.match(await folder.succeed(['projects', 'configure', place, 'instructions', 'off']), /^instructions +off: /mu);
  await folder.succeed(['chat', '--dir', place, '-p', 'echo two']);
  const listed = await folder.succeed(['ls', '--json']);
  const [newest = ''] = listed.split('\n');
  assert.match(newest, /"instructions":false/u);
  assert.match(await folder.succeed(['ls', '--model', 'terse']), /echo two/u);
  await folder.succeed(['chat', '--dir', place, '-m', 'demo', '-p', 'echo three']);
  assert.doesNotMatch(await folder.succeed(['ls', '--model', 'terse']), /echo three/u);

  const name = place.split('/').at(-1) ?? '';
  assert.match(await folder.succeed(['projects', 'reset', name, 'model']), /^model +the default model$/mu);
  assert.match(await folder.succeed(['projects']), new RegExp(name, 'u'));
  for (const [words, why] of [
    [['projects', 'configure', name, 'modle', 'x'], /modle/u],
    [['projects', 'configure', name, 'instructions', 'maybe'], /on or off/u],
    [['projects', 'show', 'nowhere'], /there is no project nowhere/u],
    [['projects', 'show', 'none'], /no settings/u],
  ] as const) {
    const { code, note } = await folder.run([...words]);
    assert.notEqual(code, 0);
    assert.match(note, why);
  }
});
