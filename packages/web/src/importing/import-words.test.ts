import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedWords, foundWords, progressWords, reportRows, reportWords } from './import-words.ts';
import type { ImportReport } from './import-report.ts';

function reported(some: Partial<ImportReport>): ImportReport {
  return {
    files: 0,
    files_unchanged: 0,
    files_unknown: 0,
    lines_raw: 0,
    lines_reported: 0,
    roots_added: 0,
    nodes_added: 0,
    sources: {},
    roots: [],
    unknown_kinds: {},
    warnings: [],
    cancelled: false,
    ...some,
  };
}

test('[WB139] a report says what was imported, what is not complete, and what could not be read', () => {
  const cut = ['a.jsonl: A record is cut off.', 'b.jsonl: A line was cut off.'];
  const examples: [Partial<ImportReport>, string][] = [
    [{ files: 312, roots_added: 312 }, '312 conversations imported.'],
    [
      { files: 312, roots_added: 312, warnings: cut },
      '312 conversations imported, 2 of them not complete: their files end in the middle of a line.',
    ],
    [
      { files: 1, roots_added: 1, warnings: cut.slice(1), files_unknown: 2 },
      '1 conversation imported, and it is not complete: its file ends in the middle of a line. 2 files could not be read and were left alone.',
    ],
    [{ files: 3, nodes_added: 1 }, '1 new message in conversations that were here already.'],
    [{ files: 3, nodes_added: 9, roots_added: 2, cancelled: true }, 'Paused. 2 conversations imported.'],
    [{ cancelled: true }, 'Paused. Nothing was imported yet.'],
    [{ files_unchanged: 8 }, 'Nothing is new: everything was here already.'],
    [{ files_unknown: 1 }, 'This is no history that Loom can read. Nothing was imported.'],
    [{ files_unknown: 3 }, 'None of the 3 files is a history that Loom can read. Nothing was imported.'],
    [{}, 'There was nothing to import.'],
  ];
  for (const [report, words] of examples) assert.equal(reportWords(reported(report)), words);
  assert.deepEqual(reportRows(reported({ roots_added: 2, nodes_added: 18_940, lines_reported: 2 })), [
    { name: 'Conversations', value: '2' },
    { name: 'Messages', value: '18,940' },
    { name: 'Lines that cannot be read', value: '2', isBad: true },
  ]);
});

test('[WB138] what was found is told by its number and place; how long an import takes, once that can be known', () => {
  const now = Date.parse('2026-11-17T12:00:00Z');
  const found = { sessions: 312, imported: 26, folders: ['/home/me/.claude/projects'], newest: '2026-11-17T11:00:00Z' };
  assert.equal(foundWords(found, now), '312 sessions in ~/.claude/projects · last used today · 26 imported');
  assert.equal(
    foundWords({ sessions: 1, imported: 1, folders: ['/data/claude/projects'] }, now),
    '1 session in /data/claude/projects',
  );
  const started_at = '2026-11-17T11:59:40Z';
  assert.equal(progressWords({ progress: 0.5, started_at }, now), '50%, about 20s left');
  assert.equal(progressWords({ progress: 0.01, started_at }, now), '1%');
});

test('[WB139] of several programs that were imported together each has its own count', () => {
  const sources = {
    'claude-code': { files: 60, roots_added: 58, nodes_added: 900 },
    codex: { files: 40, roots_added: 40, nodes_added: 300 },
    pi: { files: 2, roots_added: 0, nodes_added: 1 },
  };
  const report = reported({ files: 102, roots_added: 98, nodes_added: 1201, sources });
  const all = [...Object.keys(sources), 'gemini-cli'];
  assert.deepEqual(
    all.map((source) => endedWords(source, all, report)),
    [
      '58 conversations imported.',
      '40 conversations imported.',
      '1 new message in conversations that were here already.',
      'Nothing new.',
    ],
  );
  assert.equal(endedWords('codex', ['codex'], report), '98 conversations imported.', 'the report is its own');
  const paused = { ...report, cancelled: true };
  assert.equal(endedWords('codex', all, paused), 'Paused. 40 conversations imported.');
});
