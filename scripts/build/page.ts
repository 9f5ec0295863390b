import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { BuiltFile } from './bundle.ts';
import { drawIcon } from './icons.ts';

/** The packages of the page. */
const packages = ['web', 'client', 'sync', 'kernel', 'blocks'];

/** The number of builds kept, so that a change that is taken back is not built again. */
const keptBuilds = 4;

/**
 * Returns the files of the page, by their names in the folder `page` of a build. They are built if one of their sources has changed since;
 * `isBuilding` is called before.
 */
export async function pageFiles(root: string, isBuilding: () => void = () => {}): Promise<BuiltFile[]> {
  // A checkout may have the command alone.
  if (!existsSync(join(root, 'packages/web/index.html'))) return [];
  const folder = await builtPage(root, isBuilding);
  return filesIn(folder).map((file) => ({
    name: `page/${relative(folder, file)}`,
    content: readFileSync(file),
  }));
}

/** The folder of the page that belongs to the present sources; it is built if there is none. */
export async function builtPage(root: string, isBuilding: () => void = () => {}): Promise<string> {
  const home = join(root, '.cache/page');
  const folder = join(home, keyOf(root));
  if (!existsSync(folder)) {
    isBuilding();
    const unfinished = `${folder}-${process.pid}`;
    await buildPage(root, unfinished);
    publish(unfinished, folder);
  }
  point(join(home, 'current'), folder);
  removeOld(home, folder);
  return folder;
}

async function buildPage(root: string, outDir: string): Promise<void> {
  // Loaded late: mostly the page is built already.
  const { build } = await import('vite');
  const frames = await buildFrames(root);
  await build({
    root: join(root, 'packages/web'),
    configFile: false,
    logLevel: 'error',
    clearScreen: false,
    plugins: [withoutUnused, { name: 'frames', transformIndexHtml: (html) => named(html, frames.version) }],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The document's policy forbids inlined files.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
      rolldownOptions: {
        output: {
          // Everything that the first drawing needs is one file, run in the order of its imports; the rest comes when it is shown.
          codeSplitting: { groups: [{ name: firstFile(join(root, 'packages/web/index.html')) }] },
        },
      },
    },
  });
  writeFileSync(join(outDir, 'assets/font-licenses.txt'), fontLicenses(root));
  await writeInstallation(root, outDir);
  mkdirSync(join(outDir, 'frames'));
  for (const { name, html } of frames.documents) {
    writeFileSync(join(outDir, `frames/${name}-${frames.version}.html`), html);
  }
}

/** Writes what makes the page an app of a phone or desktop: its manifest, its icons, and the worker that keeps its files. */
async function writeInstallation(root: string, outDir: string): Promise<void> {
  const html = readFileSync(join(outDir, 'index.html'), 'utf8');
  const first = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/gu)].map(([, file = '']) => file);
  const hash = createHash('sha256').update(html);
  for (const file of filesIn(outDir)) hash.update(relative(outDir, file));
  const shell = { version: hash.digest('hex').slice(0, 12), files: ['/', ...new Set(first)] };
  const script = await scriptOf(root, 'worker/service-worker', { loomShell: JSON.stringify(shell) });
  writeFileSync(join(outDir, 'sw.js'), script);
  mkdirSync(join(outDir, 'icons'));
  for (const { name, size, isMaskable } of icons) {
    writeFileSync(join(outDir, 'icons', name), drawIcon(size, { isMaskable }));
  }
  writeFileSync(join(outDir, 'manifest.webmanifest'), JSON.stringify(manifest));
}

const icons = [
  { name: 'loom-180.png', size: 180, isMaskable: true },
  { name: 'loom-192.png', size: 192, isMaskable: false },
  { name: 'loom-512.png', size: 512, isMaskable: false },
  { name: 'loom-maskable-512.png', size: 512, isMaskable: true },
];

const manifest = {
  id: '/',
  name: 'Loom',
  short_name: 'Loom',
  description: 'Conversations with models and agents',
  start_url: '/needs-you',
  scope: '/',
  display: 'standalone',
  background_color: '#ffffff',
  theme_color: '#2457c5',
  icons: icons.slice(1).map(({ name, size, isMaskable }) => ({
    src: `/icons/${name}`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose: isMaskable ? 'maskable' : 'any',
  })),
};

interface Frames {
  /** Stands for the contents of all of them. */
  readonly version: string;
  readonly documents: readonly { readonly name: string; readonly html: string }[];
}

/** Builds the documents that show what must not touch the page. Each is one file with one script, which its policy names by its hash. */
async function buildFrames(root: string): Promise<Frames> {
  const documents = await Promise.all(
    ['diagrams', 'preview'].map(async (name) => ({
      name,
      html: frameDocument(await scriptOf(root, `frames/${name}`)),
    })),
  );
  const hash = createHash('sha256');
  for (const { html } of documents) hash.update(html);
  return { version: hash.digest('hex').slice(0, 8), documents };
}

/** Builds one script of a file of the page's sources. `define`: names that stand for values. */
async function scriptOf(root: string, path: string, define: Record<string, string> = {}): Promise<string> {
  const { build } = await import('vite');
  const built = await build({
    root: join(root, 'packages/web'),
    configFile: false,
    logLevel: 'error',
    clearScreen: false,
    define: { 'process.env.NODE_ENV': '"production"', ...define },
    build: {
      write: false,
      target: 'es2023',
      reportCompressedSize: false,
      lib: { entry: join(root, `packages/web/src/${path}.ts`), formats: ['iife'], name: 'script', fileName: 'script' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [output] = Array.isArray(built) ? built : [];
  const [file] = output?.output ?? [];
  if (file?.type !== 'chunk') throw new Error(`no script came of ${path}`);
  return file.code;
}

function frameDocument(script: string): string {
  const inside = script.replaceAll(/<(?=\/script|!--|script)/giu, '\\x3c');
  return `<!doctype html>
<meta charset="utf-8">
<style>html, body, iframe { box-sizing: border-box; width: 100%; height: 100%; margin: 0; border: 0; background: #fff; }</style>
<body><script>${inside}</script></body>
`;
}

function named(html: string, version: string): string {
  return html.replace('<html lang="en">', `<html lang="en" data-frames="${version}">`);
}

/** The fonts of the page and their licenses, which go wherever the fonts go. */
function fontLicenses(root: string): string {
  const names = ['@fontsource-variable/inter', '@fontsource/jetbrains-mono', 'katex'];
  return names
    .map((name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`)
    .join('\n\n');
}

/**
 * Leaves out code that the page never uses, which a builder cannot know: zod's messages and its JSON Schema, to which each schema has a
 * method, formats of strings, all of marked but its lexer, which an instance at the end of its file holds on to, and the ways of comparing texts of which diff
 * makes an instance each. A version that is made otherwise stops the build.
 */
const withoutUnused = {
  name: 'without-unused',
  // Before style sheets are read for the files that they name.
  enforce: 'pre' as const,
  transform(code: string, id: string): string | undefined {
    if (id.endsWith('/zod/v4/core/json-schema-processors.js')) return namesOf(code, id);
    if (id.endsWith('/zod/v4/core/to-json-schema.js')) return namesOf(code, id);
    if (id.endsWith('/zod/v4/classic/schemas.js')) return schemasOf(code, id);
    // Loom words the problems with values itself.
    if (id.endsWith('/zod/v4/locales/en.js')) return `export default () => ({ localeError: () => 'Invalid input' });`;
    // Every browser that can run the page reads this format.
    if (id.endsWith('/katex/dist/katex-swap.css'))
      return code.replaceAll(
        /,url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)|,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/gu,
        '',
      );
    if (id.endsWith('/diff/libesm/index.js')) return differencesOf(code, id);
    return id.endsWith('/marked/lib/marked.esm.js') ? lexerOf(code, id) : undefined;
  },
};

/** A module that has the same names, none of which can be called. */
function namesOf(code: string, id: string): string {
  const names = Array.from(code.matchAll(/^export (?:const|function) (\w+)/gmu), ([, name]) => name);
  if (names.length === 0) throw new Error(`${id} has no exports any more that can be left out`);
  return `${names.map((name) => `export const ${name} = undefined;`).join('\n')}\nexport { ${names[0]} as process };\n`;
}

/**
 * Strings without methods for formats, each of which brings its pattern along, and objects that are never read by generated code, which the
 * policy of the page forbids.
 */
function schemasOf(code: string, id: string): string {
  const formats =
    /(_ZodString\.init\(inst, def\);\n\}), \{\n {4}email\(params\) \{.*?\n\}\);(?=\nexport function string\()/su;
  const generated = 'core.$ZodObjectJIT.init';
  if (!formats.test(code) || !code.includes(generated))
    throw new Error(`${id} makes strings or objects otherwise by now`);
  return code.replace(formats, '$1);').replace(generated, 'core.$ZodObject.init');
}

/** The two ways of comparing that are used: lists, and texts as patches. */
function differencesOf(code: string, id: string): string {
  const [lists, patches] = ['./diff/array.js', './patch/create.js'];
  if (!code.includes(lists) || !code.includes(patches)) throw new Error(`${id} has its comparisons elsewhere by now`);
  return `export { diffArrays } from '${lists}';\nexport { structuredPatch } from '${patches}';\n`;
}

function lexerOf(code: string, id: string): string {
  const cut = /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\(.*(?=export\{)/su;
  const lexer = /export\{[^}]*?\b(\w+) as Lexer\b[^}]*\}/u.exec(code)?.[1];
  if (!cut.test(code) || lexer === undefined) throw new Error(`${id} has no instance any more that can be left out`);
  return code.replace(cut, '').replace(/export\{[^}]*\}/u, `export{${lexer} as Lexer}`);
}

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** Names the file of every module that a document needs before it is drawn; other modules go where the builder puts them. */
function firstFile(document: string): (id: string, graph: ModuleGraph) => string | null {
  let needed: Set<string> | undefined;
  return (id, graph) => {
    needed ??= reachedFrom(document, graph);
    return needed.has(id) ? 'page' : null;
  };
}

function reachedFrom(start: string, graph: ModuleGraph): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    open.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return reached;
}

/** Two processes may build at once: the later one finds the folder and drops its own. */
function publish(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Points the link at the folder, for sources that run as they are; replaced in one step. */
function point(link: string, folder: string): void {
  const next = `${link}-${process.pid}`;
  symlinkSync(basename(folder), next);
  renameSync(next, link);
}

function removeOld(home: string, own: string): void {
  const left = readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && join(home, entry.name) !== own)
    .map(({ name }) => join(home, name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const folder of left.slice(keptBuilds)) rmSync(folder, { recursive: true, force: true });
}

/** Returns a key that stands for the contents of the sources, and the versions of libraries. */
function keyOf(root: string): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const file of [import.meta.filename, join(import.meta.dirname, 'icons.ts')]) hash.update(readFileSync(file));
  for (const name of packages) {
    const home = join(root, 'packages', name);
    const files = [join(home, 'package.json'), ...filesIn(join(home, 'src'))];
    if (name === 'web') files.push(join(home, 'index.html'));
    for (const file of files) {
      if (/\.test\.ts$|\/testing\/|\/fixtures\//u.test(file)) continue;
      hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex').slice(0, 24);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
