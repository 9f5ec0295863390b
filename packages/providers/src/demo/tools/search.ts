import type { Source } from '@loom/blocks';
import type { Tool } from '@loom/kernel';
import { fingerprint } from '../fingerprint.ts';
import { objectWith, refuse, textFor, textParameter } from './parameters.ts';

/** Finds three pages about anything, all invented, all under a domain that is reserved for examples. */
export const search: Tool = {
  name: 'search_pages',
  description: 'Pretends to search the web.',
  parameters: objectWith({ query: textFor('What to look for') }),
  prepare: async () => ({ permission: 'run' }),
  async run(invocation) {
    const query = textParameter(invocation, 'query')?.replaceAll(/\s+/gu, ' ').trim();
    if (query === undefined || query === '') return refuse('search_pages needs the parameter "query".');
    const sources = kinds.map((kind, index): Source => {
      const title = `${kind} ${query}`;
      return { id: String(index + 1), url: `https://example.org/${fingerprint(title).slice(0, 8)}`, title };
    });
    const text = sources.map(({ id, url, title }) => `${id}. ${title} <${url}>`).join('\n');
    return {
      content: [
        { type: 'text', text },
        { type: 'sources', sources },
      ],
    };
  },
};

/** Returns the pages in the text of a search's result: a model sees only this text, not the block. */
export function readSources(text: string): Source[] {
  return text.split('\n').flatMap((line) => {
    const [, id, title, url] = /^(\d+)\. (.+) <(https:[^\s<>]+)>$/u.exec(line) ?? [];
    return id === undefined || title === undefined || url === undefined ? [] : [{ id, url, title }];
  });
}

const kinds = ['An introduction to', 'Questions and answers about', 'Further reading on'];
