import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { temporaryDirectory } from '@loom/kernel/testing';
import { withWriter } from '../../runtime/opened-folder.ts';
import { ForestFolder } from '../../testing/forest-folder.ts';
import { putText } from '../../texts/merged-text.ts';
import { followSaves } from '../../texts/saved-file.ts';

const begun = z.object({ root: z.string(), block_id: z.string() });

/** An editor that runs a line of shell script on "$1". */
function editorOf(context: TestContext, script: string): Record<string, string> {
  const editor = join(temporaryDirectory(context), 'my editor');
  writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return { PATH: process.env['PATH'] ?? '', EDITOR: `'${editor}'` };
}

async function draftOf(folder: ForestFolder, text: string): Promise<{ root: string; block: string; name: string }> {
  const { root } = await folder.say('hello');
  const out = await folder.succeed(['draft', 'new', root, '--title', 'Plan', '--json', '-'], { input: text });
  const { block_id: block } = begun.parse(JSON.parse(out));
  return { root, block, name: block.slice(block.indexOf('/') + 1) };
}

test('[TX33] drafts are begun, listed, opened in an editor and removed', async (context) => {
  const folder = new ForestFolder(context);
  const { root, name } = await draftOf(folder, 'first\nsecond');
  assert.match(await folder.succeed(['draft', 'list', root]), new RegExp(`^${name}  version \\d+  Plan\n$`));
  const env = editorOf(context, 'printf "FIRST\\nsecond\\nthird\\n" > "$1"');
  assert.match(
    await folder.succeed(['draft', 'edit', name], { env }),
    /^Changed node-\d+; it has version \d+ now\.\n$/,
  );
  assert.equal(await folder.succeed(['read', name, '--plain']), 'FIRST\nsecond\nthird');
  assert.equal(
    await folder.succeed(['draft', 'edit', name], { env: editorOf(context, ':') }),
    'Nothing was changed.\n',
  );
  const failing = editorOf(context, 'echo mine >> "$1"; exit 3');
  const failed = await folder.run(['draft', 'edit', name], { env: failing });
  assert.equal(failed.code, 1);
  assert.match(failed.note, /ended with exit code 3/);
  // Nothing is lost: what was not merged before the editor failed is in a file, which the message names.
  const [, kept] = /^What was not merged is kept in (.*)$/mu.exec(failed.note) ?? [];
  const left = kept === undefined ? await folder.succeed(['read', name, '--plain']) : readFileSync(kept, 'utf8');
  assert.match(left, /third\s*mine/);
  if (kept !== undefined) rmSync(dirname(kept), { recursive: true });
  await folder.succeed(['draft', 'rm', name]);
  assert.match(await folder.succeed(['draft', 'list', root]), /^There are no drafts\./);
  const missing = await folder.run(['draft', 'edit', '@person/99'], { env });
  assert.equal(missing.code, 1);
});

test('[TX34] what is saved is merged with what others wrote meanwhile, as one edit', async (context) => {
  const folder = new ForestFolder(context);
  const { root, block } = await draftOf(folder, 'one\ntwo\nthree');
  await withWriter({ dataDir: folder.dataDir }, async (loom) => {
    const edit = async (line: number, content: string): Promise<void> => {
      const operations = [{ op: 'replace' as const, start_line: line, end_line: line + 1, content }];
      assert.ok((await loom.call('block.edit', { block_id: block, operations }, 'demo:demo')).ok);
    };
    await edit(0, 'ONE');
    const put = await putText(loom, block, { base: 'one\ntwo\nthree', edited: 'one\ntwo\nthree\nfour\n' });
    assert.equal(put.text, 'ONE\ntwo\nthree\nfour\n');
    // Another one changes the same lines each time between reading and writing, for a while.
    let rounds = 5;
    const call: typeof loom.call = async (name, params, ...rest) => {
      if (name === 'block.apply_patch' && rounds > 0) {
        rounds -= 1;
        await edit(1, `two, ${rounds}`);
      }
      return loom.call(name, params, ...rest);
    };
    const again = await putText({ call }, block, {
      base: 'ONE\ntwo\nthree\nfour\n',
      edited: 'ONE\ntwo and a half\nthree\nfour\n',
    });
    assert.equal(rounds, 0);
    assert.match(again.text, /^ONE\n.*two.*and a half.*\nthree\nfour\n$/);
    assert.match(again.text, /, 0/);
    assert.ok((await loom.call('block.undo', { block_id: block })).ok);
    const state = await loom.engine.forest.log(root).state();
    const now = state.block(block);
    assert.equal(now?.type === 'text' && now.text, 'ONE\ntwo, 0\nthree\nfour\n');
  });
});

test('[TX34] each save of an editor is told once it is complete, and only once', async (context) => {
  const file = join(temporaryDirectory(context), 'draft.md');
  writeFileSync(file, 'a');
  const told: string[] = [];
  let wake = (): void => {};
  const stop = followSaves(file, 'a', async (text) => {
    told.push(text);
    wake();
  });
  const save = async (text: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    // As many editors do it.
    rmSync(file);
    writeFileSync(file, '');
    writeFileSync(file, text);
    await promise;
  };
  await save('ab');
  await save('abc');
  await stop();
  assert.deepEqual(told, ['ab', 'abc']);
});
