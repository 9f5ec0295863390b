import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const sources = join(import.meta.dirname, '../..');
const modules = join(sources, '../../../node_modules');
const sheets = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.css'))
  .map((name) => ({ name, text: readFileSync(join(sources, name), 'utf8') }));

test('[WB420] the fonts of a page in English take at most 70 KB, come from the server, and hold no text back', () => {
  const fonts = readFileSync(join(import.meta.dirname, 'fonts.css'), 'utf8').match(/@font-face \{[^}]*\}/gu) ?? [];
  assert.ok(fonts.length > 2);
  let size = 0;
  for (const font of fonts) {
    assert.match(font, /font-display: swap;/u);
    const [, file = ''] = /url\('(@fontsource[^']+\.woff2)'\)/u.exec(font) ?? [];
    const { size: bytes } = statSync(join(modules, file));
    if (/unicode-range:\s+U\+0000-00FF/u.test(font)) size += bytes;
  }
  assert.ok(size > 20_000 && size <= 70_000, `${size} bytes`);
});

test('[WB421] no style of code draws ligatures', () => {
  let count = 0;
  for (const { name, text } of sheets) {
    for (const [rule] of text.matchAll(/[^{}]+\{[^{}]*\}/gu)) {
      if (!/font[^:]*:[^;]*var\(--mono\)/u.test(rule)) continue;
      count += 1;
      // A later `font` would set it back.
      assert.match(rule, /var\(--mono\)[^]*font-feature-settings: 'calt' 0;(?![^]*\bfont:)/u, `${name}: ${rule}`);
    }
  }
  assert.ok(count >= 20, `${count} rules`);
});
