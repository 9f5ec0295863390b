import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { placeOfProgram, searchPathOutside } from './program-path.ts';
import { runProgram } from './run-program.ts';
import { plainProcesses } from './testing/plain-processes.ts';

test('[SD8] the programs of Loom itself are looked for outside of the folder, in folders that are named whole', (t) => {
  const top = realpathSync(temporaryDirectory(t));
  const directory = join(top, 'work');
  for (const name of ['work/bin', 'tools', 'node_modules/.bin', 'workshop'])
    mkdirSync(join(top, name), { recursive: true });
  symlinkSync(join(directory, 'bin'), join(top, 'link'));
  const path = [
    directory,
    `${directory}/bin`,
    `${top}/link`,
    '',
    '.',
    'bin',
    `${top}/node_modules/.bin`,
    `${top}/workshop`,
    `${top}/tools`,
  ];
  assert.equal(searchPathOutside(path.join(':'), directory), `${top}/workshop:${top}/tools`);
  assert.equal(searchPathOutside(`${directory}/bin`, directory), '/usr/local/bin:/usr/bin:/bin');
  assert.equal(searchPathOutside(`bin:${top}/tools`, '/'), `${top}/tools`);
  for (const place of ['workshop/git', 'tools/git']) writeFileSync(join(top, place), '');
  chmodSync(join(top, 'tools/git'), 0o755);
  assert.equal(placeOfProgram('git', `${top}/workshop:${top}/tools`), join(top, 'tools/git'));
  assert.equal(placeOfProgram('nothing', top), 'nothing');
});

test('[SD8] a git that a model has written is not run', async (t) => {
  const directory = realpathSync(temporaryDirectory(t));
  writeFileSync(join(directory, 'git'), '#!/bin/sh\necho evil\n');
  chmodSync(join(directory, 'git'), 0o755);
  const path = `:.:${directory}:${process.env['PATH'] ?? ''}`;
  const scope = { processes: plainProcesses(), environment: { PATH: path } };
  const ran = await runProgram(['git', '--version'], directory, scope);
  assert.match(ran?.output.toString() ?? '', /^git version/u);
});
