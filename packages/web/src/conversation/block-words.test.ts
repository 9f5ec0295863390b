import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, plainLine } from './block-words.ts';

test('[WB44] a line of the outline is a text without its Markdown, or a command as it is; one that is cut says so', () => {
  assert.equal(oneLine('## **Why** do `snake_case` _tests_\n\n- fail?'), 'Why do snake_case tests fail?');
  assert.equal(
    plainLine('Run TZ=America/New_York npm test\n-- --only *.ts'),
    'Run TZ=America/New_York npm test -- --only *.ts',
  );
  const typed =
    '<command-message>plan</command-message>\n<command-name>/plan</command-name>\n<command-args>the **tides**';
  assert.equal(oneLine(typed), '/plan the tides');
  assert.equal(oneLine(`${typed}</command-args>\nmore`), '/plan the tides');
  assert.equal(oneLine('<system-reminder>\nRun it.\n</system-reminder>'), 'Run it.');
  assert.equal(oneLine('What is <command-name>?'), 'What is <command-name>?');
  const plan = 'Implement the following plan:\n\n# Git hooks\n\n## Context\nMore.';
  assert.equal(oneLine(plan), 'Git hooks', 'a plan is known by its heading');
  const long = plainLine('word '.repeat(100));
  assert.ok(long.length <= 121 && long.endsWith('word…'), long);
  assert.equal(oneLine('x'.repeat(120)), 'x'.repeat(120));
});

test('[WB212] a text of bars that a person wrote is shown as it is', () => {
  assert.equal(oneLine('████'), '████');
});
