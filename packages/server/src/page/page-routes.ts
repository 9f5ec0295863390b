import { createHash } from 'node:crypto';
import { answer } from '../answers/answer.ts';
import type { Route } from '../routes/route.ts';

/** One file of the page, as its build left it. */
export interface PageFile {
  /** Its path on the server: `/assets/page-a1b2c3.js`. */
  readonly path: string;
  readonly type: string;
  readonly read: () => Uint8Array<ArrayBuffer>;
}

/** The page and its files; without a document there is only a hint. */
export interface PageFiles {
  readonly document: PageFile | undefined;
  /** The other files. Those under /assets/ and /frames/ have names that change with their contents. */
  readonly assets: readonly PageFile[];
}

/**
 * The content security policy: nothing but this server's own files, no markup that runs, and no address that a form or a base
 * could lead to. No text becomes markup: the page makes elements, and there is no policy through which anything else could come.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  // Only documents of `framePolicy` can be in one: all others forbid it.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The one script by address: the worker that keeps the page's files.
  'trusted-types loom-worker',
].join('; ');

/** The policy of the worker that keeps the page's files: it loads those, and nothing from elsewhere. */
const workerPolicy = "default-src 'none'; connect-src 'self'";

/**
 * The policy of a frame's document. It has no origin (`sandbox`), so it shares nothing with the page, not even its storage. It runs its one
 * script, and neither it nor what it shows can load, send or open anything.
 */
function framePolicy(document: Uint8Array): string {
  const [, script = ''] = /<script>(.*)<\/script>/su.exec(new TextDecoder().decode(document)) ?? [];
  return [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** The places inside the page: each has its address, so that it can be opened, reloaded and sent to another person. */
const places = [
  '/',
  '/new',
  '/conversations',
  '/needs-you',
  '/search',
  '/search/:query',
  '/agents',
  '/bookmarks',
  '/usage',
  '/settings',
  '/settings/:section',
  '/components',
  '/r/:root',
  '/r/:root/:node',
  '/r/:root/:node/:view',
  '/tree/:root',
  '/compare/:root/:left/:right',
  '/text/:root',
  '/review/:root/:node',
  '/review/:root/:node/:scope',
  '/s/:share',
];

/** The page. A stranger may see it: it holds nothing before its reader has signed in. */
export function pageRoutes({ document, assets }: PageFiles): Route[] {
  const page: Route['handle'] =
    document === undefined
      ? () => answer(notBuilt, 503, { 'content-type': 'text/plain; charset=utf-8' })
      : serve(document, { 'content-security-policy': policy });
  return [
    ...places.map((path): Route => ({ method: 'GET', path, access: 'open', handle: page })),
    ...assets.map((file): Route => {
      const kept: Record<string, string> = {
        'cache-control': isNamedByContent(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
      };
      if (file.path === '/sw.js') kept['content-security-policy'] = workerPolicy;
      const handle = file.path.startsWith('/frames/') ? serveFrame(file, kept) : serve(file, kept);
      return { method: 'GET', path: file.path, access: 'open', handle };
    }),
  ];
}

/** Returns true for a file whose name changes with its contents; the worker, the manifest and the icons keep theirs. */
function isNamedByContent({ path }: PageFile): boolean {
  return path.startsWith('/assets/') || path.startsWith('/frames/');
}

function serveFrame({ path, type, read }: PageFile, headers: Readonly<Record<string, string>>): Route['handle'] {
  let handle: Route['handle'] | undefined;
  return (visit) => {
    if (handle === undefined) {
      const content = read();
      const own = {
        'content-security-policy': framePolicy(content),
        'x-frame-options': 'SAMEORIGIN',
        'x-dns-prefetch-control': 'off',
      };
      handle = serve({ path, type, read: () => content }, { ...headers, ...own });
    }
    return handle(visit);
  };
}

const notBuilt = 'The page is not built. Run "npm run build" in the checkout of Loom, and start the server again.\n';

/** Read when it is asked for first, so that a server that serves programs alone reads none of it. */
function serve({ type, read }: PageFile, headers: Readonly<Record<string, string>>): Route['handle'] {
  let content: Uint8Array<ArrayBuffer> | undefined;
  return () => {
    content ??= read();
    return answer(content, 200, { ...headers, 'content-type': type });
  };
}
