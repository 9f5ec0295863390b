import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { rolldown } from 'rolldown';

/** One file of a build, by its name in the build's folder. */
export interface BuiltFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/**
 * The files of a build that is to lie in `folder`: a few instead of several hundred modules. What every command needs is in
 * `main.mjs`; what is imported on demand and the scripts of threads lie beside it.
 */
export async function bundle(root: string, folder: string): Promise<BuiltFile[]> {
  const build = await rolldown({
    cwd: root,
    input: { main: join(root, 'packages/loom/src/main.ts') },
    platform: 'node',
    // A program that waits for its own commands must export nothing to them: they would wait for each other.
    preserveEntrySignatures: 'strict',
    tsconfig: false,
    // Such as an import that was not found and would only fail when it is reached.
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(message);
    },
    plugins: [filesBeside()],
  });
  try {
    const { output } = await build.generate({
      // The maps of sources are told where they will lie; nothing is written here.
      dir: folder,
      format: 'esm',
      // Every build has a folder of its own, so names need no hashes.
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
      assetFileNames: '[name][extname]',
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
        // What is installed was written for other places.
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
        // The lines stay where they are, so the map of what was before holds.
        return { code: withScripts.replaceAll(pageUrl, "new URL('./page/', import.meta.url)"), map: null };
      },
    },
  };
}
