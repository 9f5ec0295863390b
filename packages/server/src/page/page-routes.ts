import { readFileSync } from 'node:fs';
import { answer } from '../answers/answer.ts';
import type { Route } from '../routes/route.ts';

/** Nothing but this server's own files, no markup that runs, no frame, and no address that a form or a base could lead to. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const files = {
  '/': { type: 'text/html; charset=utf-8', file: new URL('./browser/page.html', import.meta.url) },
  '/page.css': { type: 'text/css; charset=utf-8', file: new URL('./browser/page.css', import.meta.url) },
  '/page.js': { type: 'text/javascript; charset=utf-8', file: new URL('./browser/page.js', import.meta.url) },
  '/api.js': { type: 'text/javascript; charset=utf-8', file: new URL('./browser/api.js', import.meta.url) },
  '/conversation.js': {
    type: 'text/javascript; charset=utf-8',
    file: new URL('./browser/conversation.js', import.meta.url),
  },
  '/list.js': { type: 'text/javascript; charset=utf-8', file: new URL('./browser/list.js', import.meta.url) },
  '/drawing.js': { type: 'text/javascript; charset=utf-8', file: new URL('./browser/drawing.js', import.meta.url) },
};

/** The built-in page. A stranger may see it: it holds nothing before its reader has signed in. */
export function pageRoutes(): Route[] {
  return Object.entries(files).map(([path, { type, file }]) => {
    // Read when it is asked for first, so that a server that serves programs alone reads none of it.
    let content: string | undefined;
    return {
      method: 'GET',
      path,
      access: 'open',
      handle() {
        content ??= readFileSync(file, 'utf8');
        return answer(content, 200, { 'content-type': type, 'content-security-policy': policy });
      },
    };
  });
}
