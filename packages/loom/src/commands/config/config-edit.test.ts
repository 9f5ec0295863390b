import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runInside, type Outcome, type Surroundings } from '../../testing/fake-terminal.ts';
import { temporaryDirectory } from '@loom/kernel/testing';

/** An editor that runs a line of shell script on "$1". */
function bench(context: TestContext, text: string | undefined, script: string) {
  const dataDir = temporaryDirectory(context);
  const file = join(dataDir, 'config.toml');
  if (text !== undefined) writeFileSync(file, text, { mode: 0o600 });
  const editor = join(temporaryDirectory(context), 'my editor');
  writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  const env = { PATH: process.env['PATH'] ?? '', LOOM_DATA_DIR: dataDir, EDITOR: `'${editor}'` };
  return {
    dataDir,
    file,
    text: () => readFileSync(file, 'utf8'),
    drafts: () => readdirSync(dataDir).filter((name) => name.includes('draft')),
    edit: (surroundings: Surroundings = {}): Promise<Outcome> =>
      runInside(['config', 'edit'], { ...surroundings, env: { ...env, ...surroundings.env } }),
  };
}

test('[CF46] edit puts a valid text in place, atomically, and leaves no draft', async (context) => {
  const { edit, file, text, drafts } = bench(
    context,
    '# mine\ndefaults.n = 1\n',
    'echo "defaults.model = \'m\'" >> "$1"',
  );
  assert.deepEqual(await edit(), { code: 0, out: `Saved ${file}.\n`, note: '' });
  assert.equal(text(), "# mine\ndefaults.n = 1\ndefaults.model = 'm'\n");
  assert.deepEqual(drafts(), []);
});

test('[CF46] edit starts a new file where there is none, open to its owner only', async (context) => {
  const { edit, file, text } = bench(
    context,
    undefined,
    'test "$(stat -c %a "$1")" = 600 && echo "defaults.n = 2" >> "$1"',
  );
  assert.equal((await edit()).code, 0);
  assert.match(text(), /^# Settings of Loom.*\ndefaults\.n = 2\n$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('[CF46] a text without change, or an editor that fails, changes nothing', async (context) => {
  const idle = bench(context, 'defaults.n = 1\n', 'true');
  assert.deepEqual(await idle.edit(), { code: 0, out: 'Nothing was changed.\n', note: '' });
  const failing = bench(context, 'defaults.n = 1\n', 'echo "defaults.n = 2" > "$1"; exit 3');
  const { code, note } = await failing.edit();
  assert.equal(code, 1);
  assert.match(note, /ended with exit code 3\n.*your text is kept in /);
  assert.equal(failing.text(), 'defaults.n = 1\n');
  assert.deepEqual([idle.drafts().length, failing.drafts().length], [0, 1]);
});

test('[CF46] an invalid text is told; it can be edited further or is kept, and config.toml stays as it was', async (context) => {
  const script = 'if grep -q "= =" "$1"; then echo "defaults.n = 3" > "$1"; else echo "x = =" > "$1"; fi';
  const patient = bench(context, 'defaults.n = 1\n', script);
  const fixed = await patient.edit({ keyboard: '', answers: ['y'] });
  assert.equal(fixed.code, 0);
  assert.match(fixed.note, /config\.toml:1:5: .*\n[^]*Go on editing\? \[Y\/n\] $/);
  assert.equal(patient.text(), 'defaults.n = 3\n');
  for (const surroundings of [{ keyboard: '', answers: ['no'] }, { keyboard: '', answers: [undefined] }, {}]) {
    const { edit, text, drafts, dataDir } = bench(context, 'defaults.n = 1\n', script);
    const { code, note } = await edit(surroundings);
    assert.equal(code, 1);
    assert.equal(text(), 'defaults.n = 1\n');
    const [draft = ''] = drafts();
    assert.ok(note.endsWith(`Your text is kept in ${join(dataDir, draft)}\n`), note);
    assert.equal(readFileSync(join(dataDir, draft), 'utf8'), 'x = =\n');
  }
});

test('[CF46] edit opens a file that cannot be parsed, which is how it gets repaired', async (context) => {
  const { edit, text } = bench(context, 'defaults.n = \n', 'echo "defaults.n = 3" > "$1"');
  assert.equal((await edit()).code, 0);
  assert.equal(text(), 'defaults.n = 3\n');
});

test('[CF46] a change made elsewhere while the editor was open is not overwritten', async (context) => {
  const { edit, text, drafts } = bench(
    context,
    'defaults.n = 1\n',
    'echo "defaults.n = 3" > "$1"; echo "defaults.n = 9" > "$(dirname "$1")/config.toml"',
  );
  const { code, note } = await edit();
  assert.equal(code, 1);
  assert.match(note, /changed by another program/);
  assert.equal(text(), 'defaults.n = 9\n');
  assert.equal(drafts().length, 1);
});

test("[CF50] the editor does not get the providers' keys in its environment", async (context) => {
  const { edit, text } = bench(
    context,
    '',
    'env > "$1.env"; echo "defaults.model = \\"$(grep -c sk-canary "$1.env")\\"" > "$1"',
  );
  await edit({ env: { OPENAI_API_KEY: 'sk-canary', ANTHROPIC_API_KEY: 'sk-canary', OTHER: 'sk-canary' } });
  assert.equal(text(), 'defaults.model = "1"\n');
});

test('[CF46] without an editor, edit says how to name one', async (context) => {
  const { edit } = bench(context, '', 'true');
  const { code, note } = await edit({ env: { EDITOR: ' ' } });
  assert.equal(code, 1);
  assert.match(note, /EDITOR=nano loom config edit/);
  assert.equal((await runInside(['config', 'edit', '--json'])).code, 2);
});
