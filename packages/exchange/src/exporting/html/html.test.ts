import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { MessageBlock } from '@loom/blocks';
import { anySource } from '../testing/arbitrary-source.ts';
import { gathered, sampleSource } from '../testing/sample-source.ts';
import { workedConversation } from '../testing/worked-conversation.ts';
import { htmlExport } from './html.ts';
import { markdownHtml } from './markdown-html.ts';

test('[XP1] HTML holds every branch, with links from where it forks, and results with their calls', async () => {
  const text = await gathered(htmlExport(workedConversation()));
  assert.ok(text.includes('<a href="#thanks">') && text.includes('id="thanks"'));
  assert.ok(text.includes('<a href="#said">↑ where it forks</a>'));
  assert.equal(text.split('It says alpha.').length, 2);
  assert.ok(/<details class="tool"><summary><span class="name">read_file<\/span>[^]*?alpha/.test(text));
  assert.ok(text.includes('<details class="tool failed">'));
  const path = await gathered(htmlExport(workedConversation(), { node: 'root/other' }));
  assert.ok(path.includes('And c?') && !path.includes('Thanks.') && !path.includes('class="branch"'));
});

const hostile = '<script>alert(1)</script><img src=x onerror="alert(1)">"\'><svg/onload=alert(1)>&';
const known =
  /^<\/?(?:!doctype|html|head|meta|title|style|body|header|main|footer|section|article|nav|details|summary|div|span|p|h[1-4]|pre|code|a|ul|ol|li|blockquote|table|thead|tbody|tr|t[hd]|strong|em|del|hr|br|img|figure|figcaption|time)(?=[\s>])/i;

/** Returns the tags of a page that this package does not write. */
function strangers(page: string): string[] {
  const tags = page.replace(/<style>[^]*?<\/style>/, '').match(/<[^>]*>?/g) ?? [];
  return tags.filter((tag) => {
    const bare = tag.replaceAll(/="[^"]*"/g, '=""');
    return (
      !known.test(tag) || /\son\w+=/i.test(bare) || /\s(?:src|href)="(?!#|https?:|mailto:|data:image\/)/i.test(tag)
    );
  });
}

test('[XP3] nothing that is said becomes markup, wherever it stands', async () => {
  const blocks: MessageBlock[] = [
    {
      type: 'text',
      text: `${hostile}\n\n[a](javascript:alert(1)) ![b](http://x/${hostile}) <${hostile}>\n\n| ${hostile} |\n| - |\n| ${hostile} |`,
    },
    { type: 'thinking', text: hostile },
    { type: 'tool-use', id: hostile, name: hostile, parameters: { [hostile]: hostile } },
    { type: 'code', content: hostile, filename: hostile },
    { type: 'command', command: hostile, stdout: hostile, stderr: hostile, exit_code: 1 },
    { type: 'file-change', changes: [{ path: hostile, kind: 'rename', from: hostile, diff: hostile }] },
    { type: 'todo', items: [{ content: hostile, status: 'pending' }] },
    { type: 'sources', sources: [{ id: 'a', url: `javascript:${hostile}`, title: hostile }] },
    { type: 'error', code: hostile, message: hostile },
    { type: 'raw', source: hostile, value: hostile },
    { type: 'image', media_type: 'image/png', url: `data:image/png,${hostile}`, filename: hostile },
    { type: 'image', media_type: 'image/png', url: `https://example.org/${hostile}` },
  ];
  const source = sampleSource({
    root: { title: hostile, tags: [hostile], config: { systemPrompt: hostile } },
    nodes: [{ name: hostile, role: 'assistant', blocks, title: hostile, tags: [hostile], started_at: hostile }],
    bookmarks: { [hostile]: hostile },
  });
  const page = await gathered(htmlExport(source));
  assert.deepEqual(strangers(page), []);
  assert.ok(!page.includes('src="http'), 'nothing is loaded from elsewhere');
  assert.ok(page.includes("default-src 'none'"));
});

test('[XP3] no conversation makes an element that is not one of the page', async () => {
  await fc.assert(
    fc.asyncProperty(anySource, async (source) => {
      assert.deepEqual(strangers(await gathered(htmlExport(source))), []);
    }),
    { numRuns: 40 },
  );
});

test('[XP3] texts that are long or nested deep are shown as they were written', () => {
  assert.ok(markdownHtml('*a '.repeat(200_000)).startsWith('<p class="plain">'));
  const deep = markdownHtml(`${'> '.repeat(3000)}deep`);
  assert.ok(deep.includes('deep'));
  assert.ok(deep.split('<blockquote').length < 200, 'only the first quotes are elements');
});
