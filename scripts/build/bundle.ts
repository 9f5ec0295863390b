import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { rolldown } from 'rolldown';

/** One file of a build, by its name in the build's folder. */
export interface BuiltFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/**
 * Makes the files of a build that is to lie in `folder`: a few instead of several hundred modules. The modules that every command needs are
 * in `main.mjs`; those imported on demand and the scripts of threads lie beside it.
 */
export async function bundle(root: string, folder: string): Promise<BuiltFile[]> {
  const build = await rolldown({
    cwd: root,
    input: { main: join(root, 'packages/loom/src/main.ts') },
    platform: 'node',
    // A program that waits for its own commands must export nothing to them: they would wait for each other.
    preserveEntrySignatures: 'strict',
    tsconfig: false,
    // Such as an import that was not found and would only fail when it is reached. That a module which one part imports on demand is
    // loaded with another part is meant: see `parts`.
    onLog(level, { code, message }) {
      if (level === 'warn' && code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(message);
    },
    plugins: [filesBeside()],
  });
  try {
    const { output } = await build.generate({
      // The source maps get their final folder; nothing is written here.
      dir: folder,
      format: 'esm',
      // Every build has a separate folder, so names need no hashes.
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
      assetFileNames: '[name][extname]',
      codeSplitting: { groups: parts.map(([name, test], at) => ({ name, test, priority: parts.length - at })) },
      keepNames: true,
      sourcemap: true,
      // They lie in the checkout.
      sourcemapExcludeSources: true,
    });
    return output.map((file) => ({
      name: file.fileName,
      content: file.type === 'chunk' ? file.code : file.source,
    }));
  } finally {
    await build.close();
  }
}

/**
 * The files of the bundle. Modules needed together are one file, because each file that is loaded costs about as much as 50 KB of code. A
 * part has the modules that are named here and all that they import, except for those of a part before it: so none imports a later one, no
 * two wait for each other, and the threads and commands that need little load little.
 */
const parts: readonly (readonly [name: string, modules: RegExp])[] = [
  // The modules that every command needs, `loom --help` too. The program is not among them: it waits for its commands.
  [
    'start',
    /packages\/loom\/src\/(command-line\/(command-line|data-dir|exit-codes|store-kind|suggested-command)|terminal\/(progress|style|terminal))\.ts$/u,
  ],
  // The thread that writes.
  ['writing', /packages\/stores\/src\/sqlite\/(connection|database|writing\/serve-writes)\.ts$/u],
  ['blocks', /packages\/blocks\/src\/(legacy\/|views\/)?index\.ts$/u],
  ['disk', /packages\/stores\/src\/disk\/index\.ts$/u],
  ['config', /packages\/loom\/src\/config\/index\.ts$/u],
  // The thread that searches, except for its engine for patterns, which no other command needs.
  [
    'logs',
    /packages\/(kernel\/src\/(logs|search\/(searchable-blocks|root-search|text-search))|stores\/src\/sqlite\/open)\.ts$/u,
  ],
  // The modules of every command that opens a data folder.
  ['folder', /packages\/loom\/src\/runtime\/(opened-folder|conversations|named-place)\.ts$/u],
];

/**
 * `new URL('./x.ts', import.meta.url)` names the script of a thread, which becomes a file of the build too; the folder of the page lies
 * beside them. Any other use of `import.meta` is refused, since in a build
 * it would mean another place.
 */
function filesBeside(): Plugin {
  const scriptUrl = /new URL\('(\.\/[\w-]+)\.ts', import\.meta\.url\)/gu;
  const pageUrl = "new URL('../../../../.cache/page/current/', import.meta.url)";
  return {
    name: 'files-beside',
    transform: {
      filter: { code: /\bimport\.meta\b/u, id: /\.ts$/u },
      handler(code, id) {
        // Installed packages were written for other places.
        if (id.includes('/node_modules/')) return null;
        const withScripts = code.replaceAll(scriptUrl, (_, name: string) => {
          const script = this.emitFile({ type: 'chunk', id: `${join(id, '..', name)}.ts`, name: name.slice(2) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${script})`;
        });
        if (/\bimport\.meta\.(?!ROLLUP_FILE_URL_)/u.test(withScripts.replaceAll(pageUrl, ''))) {
          this.error(
            `${id} uses import.meta in a way that means another place in a build; see scripts/build/bundle.ts`,
          );
        }
        // The lines stay where they are, so the former map holds.
        return { code: withScripts.replaceAll(pageUrl, "new URL('./page/', import.meta.url)"), map: null };
      },
    },
  };
}
