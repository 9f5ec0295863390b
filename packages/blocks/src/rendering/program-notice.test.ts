import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programNotice } from './program-notice.ts';

test('[IM44] [WB386] what a program wrote in the name of its user is one line, and what a person wrote is none', () => {
  const notices: [text: string, notice: string | undefined][] = [
    ['[Request interrupted by user]', 'Interrupted'],
    ['[Request interrupted by user for tool use]', 'Interrupted'],
    ['<task-notification>\n<task-id>b1</task-id>\n<summary>Tests passed</summary>', 'Background task: Tests passed'],
    ['<task-notification>\n<task-id>b1</task-id>', 'Background task'],
    [
      '<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>the parser\nand more</command-args>',
      '/review the parser',
    ],
    ['<command-name>/clear</command-name>\n<command-args></command-args>', '/clear'],
    ['<local-command-stdout>\u001B[1mSet model\u001B[22m</local-command-stdout>', 'Command output: Set model'],
    ['<bash-input>ls</bash-input>', 'Command: ls'],
    [
      'This session is being continued from a previous conversation that ran out of context. The …',
      'Context summarized',
    ],
    ['<system-reminder>Be brief.</system-reminder>\n', 'System reminder: Be brief.'],
    [
      '<system-reminder>\nPostToolUse:Edit hook additional context: Format it.\nThen test.\n</system-reminder>',
      'Hook PostToolUse:Edit: Format it.',
    ],
    ['<system-reminder>Be brief.</system-reminder>\nFix it', undefined],
    [
      '<ide_opened_file>The user opened the file /home/user/tides/src/parse.ts in the IDE. It may matter.</ide_opened_file>',
      'Opened in the editor: parse.ts',
    ],
    [
      '<ide_selection>The user selected the lines 1 to 2 from /home/user/a.py:\nx = 1</ide_selection>',
      'Selected in the editor: a.py',
    ],
    ['<ide_diagnostics>[]</ide_diagnostics>', 'Problems in the editor'],
    ['<ide_opened_file>The user opened the file /a.ts</ide_opened_file>Review it', undefined],
    ['[Request interrupted by user] Go on', undefined],
    ['This session is over.', undefined],
    ['<task> is a tag', undefined],
    ['[Request] interrupted', undefined],
    ['', undefined],
  ];
  for (const [text, notice] of notices) assert.equal(programNotice(text), notice, text);
});
