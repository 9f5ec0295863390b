import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Commands } from './commands.ts';
import { keyMap, keyOf, shownKey } from './key-map.ts';
import type { KeyArea, KeyBinding } from './key-map.ts';
import { chordOf, isLetter, KeyPresses } from './key-presses.ts';

const press = (key: string, held: { ctrlKey?: true; metaKey?: true; altKey?: true; shiftKey?: true } = {}) =>
  chordOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

test('[WB40] a press is named as the key map writes it', () => {
  assert.equal(press('j'), 'J');
  assert.equal(press('J', { shiftKey: true }), 'Shift+J');
  assert.equal(press('?', { shiftKey: true }), '?', 'Shift only makes the sign');
  assert.equal(press('z', { metaKey: true, shiftKey: true }), 'Ctrl+Shift+Z');
  assert.equal(press('Escape'), 'Esc');
  assert.equal(press('Enter', { altKey: true }), 'Alt+Enter');
});

test('[WB40] no two commands of an area share a key, and none takes a key of browsers', () => {
  const taken = new Set<string>();
  const areasBeside = (area: KeyArea): KeyArea[] => (area === 'timeline' ? ['timeline', 'page', 'anywhere'] : [area]);
  for (const { area, command, keys } of keyMap satisfies readonly KeyBinding[]) {
    for (const key of keys) {
      assert.ok(!taken.has(`${area} ${key}`), `${command} shares ${key}`);
      taken.add(`${area} ${key}`);
      const meant = areasBeside(area).filter((other) =>
        keyMap.some((binding) => binding.area === other && binding.keys.some((one) => one === key)),
      );
      assert.deepEqual(meant, [area], `${key} of ${command} is another key, too`);
      assert.doesNotMatch(key, /^Alt\+.$|^Ctrl\+Alt|^Shift\+Esc|^Alt\+Arrow|^Ctrl\+[FLNTW]$/u);
      if (/^Ctrl\+Shift\+.$/u.test(key)) assert.equal(key, 'Ctrl+Shift+Z');
    }
  }
});

test('[WB41] two keys one after the other are one command, if the second comes soon', () => {
  const presses = new KeyPresses();
  const areas = ['timeline', 'page', 'anywhere'] as const;
  assert.equal(presses.take('G', areas, 0), undefined);
  assert.equal(presses.take('U', areas, 1000), 'usage');
  assert.equal(presses.take('G', areas, 2000), undefined);
  assert.equal(presses.take('T', areas, 4000), 'thinking', 'too late for the tree');
  assert.equal(presses.take('G', areas, 5000), undefined);
  assert.equal(presses.take('J', areas, 5100), 'next', 'what is no sequence is the key itself');
  assert.equal(presses.take('J', ['tree'], 5200), undefined);
});

test('[WB42] single letters and signs can be told from keys that have names', () => {
  for (const chord of ['J', 'Shift+J', '?', ',']) assert.ok(isLetter(chord), chord);
  for (const chord of ['Delete', 'End', 'Ctrl+Z', 'ArrowLeft', 'Alt+Enter']) assert.ok(!isLetter(chord), chord);
});

test('[WB43] the part of the page that came last does a command, and takes it away with itself', () => {
  const commands = new Commands();
  const done: string[] = [];
  const leaveFirst = commands.bring({ next: () => done.push('first'), edit: () => done.push('edit') });
  const leaveSecond = commands.bring({ next: () => done.push('second') });
  assert.ok(commands.run('next'));
  leaveSecond();
  assert.ok(commands.run('next') && commands.run('edit'));
  leaveFirst();
  assert.ok(!commands.run('next') && !commands.has('edit'));
  assert.deepEqual(done, ['second', 'first', 'edit']);
});

test('[WB40] keys are shown as people know them', () => {
  assert.equal(shownKey('Ctrl+Shift+Z'), 'Ctrl Shift Z');
  assert.equal(shownKey('G T'), 'G T');
  assert.equal(keyOf('previous-sibling'), '←');
});
