import { readableText, titleOf } from './readable-text.ts';

/** The text of a page, or the reason that it has none. */
export type PageText = { ok: true; text: string; title?: string } | { ok: false; problem: string };

/** Reads the bytes of a page as text, by the kind and the characters that it says it has. */
export function pageText(bytes: Uint8Array, contentType: string, url: string): PageText {
  const [kind = ''] = contentType.toLowerCase().split(';');
  const type = kind.trim();
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)$/u.test(type);
  const isText = isHtml || type === '' || /^text\/|[/+](?:json|xml|yaml|javascript|toml|x-sh)$/u.test(type);
  if (!isText) return { ok: false, problem: `It is of the kind ${type}, which cannot be read as text.` };
  if (!isHtml && bytes.subarray(0, 4096).includes(0) && !/charset/iu.test(contentType))
    return { ok: false, problem: 'It holds bytes that are not text.' };
  const text = decode(bytes, contentType, isHtml);
  if (!isHtml && !(type === '' && /^\s*<(?:!doctype html|html)/iu.test(text.slice(0, 200)))) return { ok: true, text };
  const title = titleOf(text);
  return { ok: true, text: readableText(text, url), ...(title === undefined ? {} : { title }) };
}

function decode(bytes: Uint8Array, contentType: string, isHtml: boolean): string {
  const said = /charset\s*=\s*["']?([\w.:-]+)/iu;
  const start = isHtml ? new TextDecoder('latin1').decode(bytes.subarray(0, 2048)) : '';
  const label = said.exec(contentType)?.[1] ?? said.exec(start)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
