import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCorpus } from '@loom/blocks/testing';
import { spliceText } from '../text/text-splice.ts';
import { planPatch } from './patch-plan.ts';
import { readDrifted, readMails, readTriples } from './testing/patch-corpus.ts';

const corpus = findCorpus('patches');
const skip = corpus.found ? false : corpus.reason;
const directory = corpus.found ? corpus.directory : '';

test('[PT20] [PT15] real diffs give what git gave; renames and modes are refused', { skip }, () => {
  let applied = 0;
  let refused = 0;
  for (const { id, classes, hunks, before, patch, after } of readTriples(directory)) {
    const plan = planPatch(before ?? '', patch);
    const isRename = classes.some((name) => name.startsWith('rename'));
    if (isRename || hunks === 0) {
      assert.ok(!plan.ok, id);
      assert.match(plan.errors.join(), isRename ? /renames or copies a file/ : /at most its mode/, id);
      refused += 1;
      if (hunks === 0) continue;
      // The refusal advises giving the hunks alone.
      const alone = planPatch(before ?? '', patch.slice(patch.indexOf('\n@@ ') + 1));
      assert.ok(alone.ok && spliceText(before ?? '', alone.splices) === after, id);
      continue;
    }
    assert.ok(plan.ok, `${id}: ${plan.ok ? '' : plan.errors.join('\n')}`);
    assert.equal(spliceText(before ?? '', plan.splices), after ?? '', id);
    assert.ok(plan.offsets.length === hunks && plan.offsets.every((offset) => offset === 0), id);
    applied += 1;
  }
  assert.ok(applied > 150 && refused > 20, `${applied} applied, ${refused} refused: is this the corpus?`);
});

test('[PT20] [PT9] [PT10] the same diffs survive a way that changes their line ends', { skip }, () => {
  for (const { id, classes, hunks, before, patch, after } of readTriples(directory)) {
    const isPlain = !classes.some((name) => /rename|eol-conversion|crlf/.test(name));
    if (hunks === 0 || !isPlain || [before, after].some((text) => text?.includes('\r') === true)) continue;
    const wrapped = planPatch(before ?? '', patch.replaceAll('\n', '\r\n'));
    assert.ok(wrapped.ok && spliceText(before ?? '', wrapped.splices) === (after ?? ''), id);
    const [dosBefore, dosAfter] = [before, after].map((text) => (text ?? '').replaceAll('\n', '\r\n'));
    if (dosBefore === undefined || dosBefore === '' || !dosBefore.includes('\n')) continue;
    const dos = planPatch(dosBefore, patch.replaceAll('\n', '\r\n'));
    assert.ok(dos.ok && spliceText(dosBefore, dos.splices) === dosAfter, id);
  }
});

test('[PT21] drifted diffs are applied as GNU patch did at an offset, or refused', { skip }, () => {
  const tally = { applied: 0, refused: 0 };
  for (const { id, expect, before, patch, after_gnu_patch: after } of readDrifted(directory)) {
    const plan = planPatch(before, patch);
    tally[plan.ok ? 'applied' : 'refused'] += 1;
    if (expect === 'clean' || expect === 'offset') {
      assert.ok(plan.ok, `${id}: ${plan.ok ? '' : plan.errors.join('\n')}`);
      assert.equal(spliceText(before, plan.splices), after, id);
      assert.equal(
        plan.offsets.some((offset) => offset !== 0),
        expect === 'offset',
        id,
      );
    } else {
      assert.ok(!plan.ok, `${id}: applied, but GNU patch says ${expect}`);
    }
  }
  assert.ok(tally.applied > 40 && tally.refused > 40, JSON.stringify(tally));
});

test('[PT22] [PT16] mails with several files are refused, and their parts are applied one by one', { skip }, () => {
  let parts = 0;
  for (const { id, mail, files } of readMails(directory)) {
    const whole = planPatch('', mail);
    assert.ok(!whole.ok, id);
    assert.match(whole.errors.join(), new RegExp(`parts for ${files.length} files .* split it`, 's'), id);
    const pieces = mail.split(/^(?=diff --git )/m).slice(1);
    assert.equal(pieces.length, files.length, id);
    for (const [index, { before, after }] of files.entries()) {
      const piece = pieces[index] ?? '';
      const plan = planPatch(before ?? '', piece);
      if (piece.includes('GIT binary patch')) {
        assert.ok(!plan.ok && /is binary/.test(plan.errors.join()), id);
        continue;
      }
      assert.ok(plan.ok, `${id}: ${plan.ok ? '' : plan.errors.join('\n')}`);
      assert.equal(spliceText(before ?? '', plan.splices), after ?? '', id);
      parts += 1;
    }
  }
  assert.ok(parts > 40, `${parts} parts: is this the corpus?`);
});
