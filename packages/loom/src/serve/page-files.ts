import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageFile, PageFiles } from '@loom/server';

/** The page as it was built with this command; none where it was not built. */
export function findPage(): PageFiles {
  const folder = fileURLToPath(new URL('../../../../.cache/page/current/', import.meta.url));
  const names = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
  const files = names.map(({ parentPath, name }): PageFile => {
    const file = join(parentPath, name);
    return {
      path: `/${relative(folder, file).split(sep).join('/')}`,
      type: types[extname(name)] ?? 'application/octet-stream',
      read: () => new Uint8Array(readFileSync(file)),
    };
  });
  return {
    document: files.find(({ path }) => path === '/index.html'),
    assets: files.filter(({ path }) => path !== '/index.html'),
  };
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
