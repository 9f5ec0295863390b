import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { readConfig } from './read.ts';
import { setConfigValue, unsetConfigValue } from './write.ts';

const archive = join(
  process.env['LOOM_CORPUS'] ?? resolve(import.meta.dirname, '../../../../../shared/corpus'),
  'loom.tar.xz',
);
const skip = existsSync(archive) ? false : 'no corpus: loom.tar.xz is not in LOOM_CORPUS nor beside the repository';

test(
  '[CF5] [CF20] the files that the original wrote open, and a change and its undoing leave them as they were',
  { skip },
  async (context) => {
    const unpacked = temporaryDirectory(context);
    execFileSync('tar', ['-xf', archive, '-C', unpacked]);
    const generations = readdirSync(join(unpacked, 'generated')).map((name) => join(unpacked, 'generated', name));
    const withConfig = generations.filter((folder) => existsSync(join(folder, 'config.toml')));
    assert.ok(withConfig.length >= 4);
    for (const folder of withConfig) {
      const dataDir = temporaryDirectory(context);
      const file = join(dataDir, 'config.toml');
      cpSync(join(folder, 'config.toml'), file);
      const { config, warnings } = await readConfig({ dataDir, env: {} });
      assert.equal(config.defaults.n, 5);
      assert.equal(config.defaults.maxTokens, 1024);
      const odd = warnings.map(({ code }) => code).filter((code) => code !== 'placeholder' && code !== 'open-file');
      assert.deepEqual(odd, []);
      const before = readFileSync(file, 'utf8');
      await setConfigValue({ dataDir }, ['presets', 'x', 'n'], 2);
      await setConfigValue({ dataDir }, ['defaults', 'n'], 6);
      const after = readFileSync(file, 'utf8');
      assert.notEqual(after, before);
      await setConfigValue({ dataDir }, ['defaults', 'n'], 5);
      await unsetConfigValue({ dataDir }, ['presets', 'x']);
      // One generation spells an empty table, which turns into a section and goes with it.
      assert.equal(readFileSync(file, 'utf8'), before.replace('presets = { }\n', ''));
    }
  },
);
