import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setInToml, unsetInToml } from './edit.ts';
import type { Path } from './key.ts';
import type { Literal } from './literal.ts';

function set(text: string, path: Path, value: Literal): string {
  const result = setInToml(text, path, value);
  assert.ok(result.ok, JSON.stringify(result));
  return result.text;
}

function unset(text: string, path: Path): string {
  const result = unsetInToml(text, path);
  assert.ok(result.ok, JSON.stringify(result));
  return result.text;
}

test('[CF20] a set replaces the characters of the value and keeps the comment behind it', () => {
  assert.equal(set('n = 1_024 # why\nm = 0x10\n', ['n'], 5), 'n = 5 # why\nm = 0x10\n');
  assert.equal(set('[a]\r\n  "b" = """x\r\ny"""\t# z\r\nc=1', ['a', 'b'], 'q'), '[a]\r\n  "b" = "q"\t# z\r\nc=1');
  assert.equal(set('p = { q = { r = 1 }, s = 2 }', ['p', 'q', 'r'], true), 'p = { q = { r = true }, s = 2 }');
  assert.equal(set('list = [ { id = 1 }, { id = 2 } ]', ['list', 1, 'id'], 3), 'list = [ { id = 1 }, { id = 3 } ]');
  assert.equal(set('[[s]]\nid = 1\n[[s]]\nid = 2\n', ['s', 1, 'id'], 3), '[[s]]\nid = 1\n[[s]]\nid = 3\n');
});

test('[CF21] a new value joins the end of its table, with the indentation and line ending found there', () => {
  assert.equal(set('[a]\n  x = 1\n\n# on b\n[b]\n', ['a', 'y'], 2), '[a]\n  x = 1\n  y = 2\n\n# on b\n[b]\n');
  assert.equal(set('[a]\r\nx = 1', ['a', 'y'], 2), '[a]\r\nx = 1\r\ny = 2');
  assert.equal(set('a.x = 1\n[b]\n', ['a', 'y'], 2), 'a.x = 1\na.y = 2\n[b]\n');
  assert.equal(set('a = { x = 1 }', ['a', 'y', 'z'], 2), 'a = { x = 1, y.z = 2 }');
  assert.equal(set('a = { x = 1, } # TOML 1.1', ['a', 'y'], 2), 'a = { x = 1, y = 2, } # TOML 1.1');
  assert.equal(
    set('[[s]]\nid = 1\n\n[[s]]\nid = 2\n', ['s', 0, 'k'], 'v'),
    '[[s]]\nid = 1\nk = "v"\n\n[[s]]\nid = 2\n',
  );
});

test('[CF21] a new table stands behind its relatives, or at the end, set apart by a blank line', () => {
  assert.equal(
    set('[p.a]\nx = 1\n# of a\n\n# on d\n[d]\ny = 1\n', ['p', 'b', 'x'], 2),
    '[p.a]\nx = 1\n# of a\n\n[p.b]\nx = 2\n\n# on d\n[d]\ny = 1\n',
  );
  assert.equal(set('[p.a]\nx = 1\n# on d\n[d]\n', ['p', 'b', 'x'], 2), '[p.a]\nx = 1\n\n[p.b]\nx = 2\n\n# on d\n[d]\n');
  assert.equal(set('# on sub\n[a.sub]\nx = 1\n', ['a', 'y'], 2), '[a]\ny = 2\n\n# on sub\n[a.sub]\nx = 1\n');
  assert.equal(set('x = 1', ['a', 'b.c', 'y'], 2), 'x = 1\n\n[a."b.c"]\ny = 2');
  assert.equal(set('', ['a', 'y'], 2), '[a]\ny = 2\n');
  assert.equal(set('\uFEFF', ['y'], 2), '\uFEFFy = 2\n');
  assert.equal(set('# only words\n', ['a', 'y'], 2), '# only words\n\n[a]\ny = 2\n');
  assert.equal(
    set('[[s]]\nid = 1\n[[s]]\nid = 2\n', ['s', 0, 'env', 'K'], 'v'),
    '[[s]]\nid = 1\n\n[s.env]\nK = "v"\n\n[[s]]\nid = 2\n',
  );
  assert.equal(set('[[s]]\nid = 1\n', ['s', 1, 'id'], 2), '[[s]]\nid = 1\n\n[[s]]\nid = 2\n');
});

test('[CF21] a first top-level value stands above the first table and the comment on it', () => {
  assert.equal(set('# file\n\n# on a\n[a]\nx = 1\n', ['y'], 2), '# file\n\ny = 2\n\n# on a\n[a]\nx = 1\n');
  assert.equal(set('# on a\r\n[a]\r\n', ['y'], 2), 'y = 2\r\n\r\n# on a\r\n[a]\r\n');
  assert.equal(set('# words', ['y'], 2), '# words\n\ny = 2');
});

test("[CF21] the original's empty `presets = { }` and `mcp_servers = [ ]` turn into sections when they get content", () => {
  const text = 'mcp_servers = [ ]\npresets = { }\n\n[defaults]\nn = 5\n';
  assert.equal(
    set(text, ['presets', 'brief', 'n'], 1),
    'mcp_servers = [ ]\n\n[defaults]\nn = 5\n\n[presets.brief]\nn = 1\n',
  );
  assert.equal(
    set(text, ['mcp_servers', 0, 'name'], 'files'),
    'presets = { }\n\n[defaults]\nn = 5\n\n[[mcp_servers]]\nname = "files"\n',
  );
  // Not when that would take a comment along.
  assert.equal(set('s = [\n  # none yet\n]\n', ['s', 0, 'id'], 1), 's = [\n  # none yet\n { id = 1 } ]\n');
  assert.equal(set('p = { } # none\n', ['p', 'x'], 1), 'p = { x = 1 } # none\n');
});

test('[CF22] an unset removes the lines of the value and nothing else', () => {
  assert.equal(unset('# on n\nn = [\n 1, # one\n]\nm = 2\n', ['n']), '# on n\nm = 2\n');
  assert.equal(unset('[a]\nx = 1\n', ['a', 'x']), '[a]\n');
  assert.equal(unset('a = { x = 1, y = 2 } # c', ['a', 'y']), 'a = { x = 1 } # c');
  assert.equal(unset('a = { x = 1, y = 2 }', ['a', 'x']), 'a = { y = 2 }');
  assert.equal(unset('a = { b.x = 1, c = 0, b.y = 2 }', ['a', 'b']), 'a = { c = 0 }');
  assert.equal(unset('s = [\n  { id = 1 }, # one\n  { id = 2 }\n]', ['s', 1]), 's = [\n  { id = 1 } # one\n\n]');
  assert.equal(unset('x = 1\n', ['y']), 'x = 1\n');
  assert.equal(unset('x = 1\n', ['x', 'y']), 'x = 1\n');
});

test('[CF22] an unset of a table removes its sections with the blank lines that set them apart', () => {
  const text = 'a.z = 1\n\n[p.a]\nx = 1\n# inside\ny = 2\n\n[p.a.sub]\nz = 3\n\n# on d\n[d]\nv = 1\n';
  assert.equal(unset(text, ['p', 'a']), 'a.z = 1\n\n# on d\n[d]\nv = 1\n');
  assert.equal(unset(text, ['d']), 'a.z = 1\n\n[p.a]\nx = 1\n# inside\ny = 2\n\n[p.a.sub]\nz = 3\n\n# on d\n');
  assert.equal(unset('[a]\nx = 1\n\n[b]\ny = 1\n', ['b']), '[a]\nx = 1\n');
  assert.equal(unset('[[s]]\nid = 1\n\n[s.env]\nK = 1\n\n[[s]]\nid = 2\n', ['s', 0]), '[[s]]\nid = 2\n');
  assert.equal(unset('[[s]]\nid = 1\n', ['s', 0]), '');
});

test('[CF23] an edit that cannot be made is refused with its reason and gives no text', () => {
  assert.deepEqual(setInToml('[a]\nx = 1\n', ['a'], 1), { ok: false, refusal: { reason: 'is-table' } });
  assert.deepEqual(setInToml('a = 1\n', ['a', 'b'], 1), { ok: false, refusal: { reason: 'not-a-table', at: ['a'] } });
  assert.deepEqual(setInToml('a = [1]\n', ['a', 'b'], 1), { ok: false, refusal: { reason: 'not-a-table', at: ['a'] } });
  assert.deepEqual(setInToml('[[s]]\nid = 1\n', ['s', 'x'], 1), { ok: false, refusal: { reason: 'not-editable' } });
  const broken = setInToml('a = \n', ['a'], 1);
  assert.ok(!broken.ok && broken.refusal.reason === 'bad-toml' && broken.refusal.problem.line === 1);
  assert.ok(!unsetInToml('a = \n', ['a']).ok);
});

test('[CF23] a value that TOML cannot hold is refused rather than written as something else', () => {
  assert.deepEqual(setInToml('', ['a'], 'half \uD83D'), { ok: false, refusal: { reason: 'not-editable' } });
});

test('[CF24] the same value in another spelling is left as it is spelled', () => {
  assert.equal(set("n = 1_024\ns = 'x'\nl = [ 'a', ]\n", ['n'], 1024), "n = 1_024\ns = 'x'\nl = [ 'a', ]\n");
  assert.equal(set("s = 'x'\n", ['s'], 'x'), "s = 'x'\n");
  assert.equal(set("l = [ 'a', ]\n", ['l'], ['a']), "l = [ 'a', ]\n");
});
