// Loads the modules named on the command line as a browser would, each in a context of its own, and prints one line of JSON
// for each: `{file}`, with `message` when it cannot be loaded. Node serves only as the engine; run it with --experimental-vm-modules.
import { readFileSync, realpathSync } from 'node:fs';
import { isBuiltin, stripTypeScriptTypes } from 'node:module';
import { Console } from 'node:console';
import { dirname, join, relative, resolve } from 'node:path';
import vm from 'node:vm';
import { resolveForBrowser } from './browser-resolution.ts';

// The globals that every browser and Node have in common, besides the language itself.
const webGlobals = `
  AbortController AbortSignal Blob DOMException Event EventTarget File FormData Headers MessageChannel
  ReadableStream Request Response TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream
  URL URLSearchParams WebSocket WritableStream atob btoa clearInterval clearTimeout console crypto fetch
  performance queueMicrotask setInterval setTimeout structuredClone
`
  .trim()
  .split(/\s+/u);

for (const entry of process.argv.slice(2)) {
  const message = await loadEntry(resolve(entry));
  console.log(JSON.stringify({ file: entry, ...(message === undefined ? {} : { message }) }));
}

/** Undefined when the module and all that it imports were loaded and run, else what to do about it. */
async function loadEntry(file: string): Promise<string | undefined> {
  const globals = Object.fromEntries(webGlobals.map((name) => [name, Reflect.get(globalThis, name)]));
  // Standard output is for the results.
  const context = vm.createContext({ ...globals, console: new Console(process.stderr) });
  const modules = new Map<string, vm.SourceTextModule>();

  const load = (path: string): vm.SourceTextModule => {
    const known = modules.get(path);
    if (known !== undefined) return known;
    const text = readFileSync(path, 'utf8');
    const module = new vm.SourceTextModule(path.endsWith('.ts') ? stripTypeScriptTypes(text) : text, {
      context,
      identifier: path,
      initializeImportMeta: (meta) => Object.assign(meta, { url: `https://browser.test${path}` }),
      importModuleDynamically: async (specifier: string) => {
        const imported = follow(specifier, path);
        await run(imported);
        return imported;
      },
    });
    modules.set(path, module);
    return module;
  };
  const follow = (specifier: string, from: string): vm.SourceTextModule => {
    if (isBuiltin(specifier))
      throw new Error(`${shorten(from)} imports "${specifier}": a browser has no modules of Node`);
    const path = specifier.startsWith('.') ? join(dirname(from), specifier) : resolveForBrowser(specifier, from);
    return load(realpathSync(path));
  };
  const run = async (module: vm.SourceTextModule): Promise<void> => {
    if (module.status === 'unlinked') await module.link((specifier, { identifier }) => follow(specifier, identifier));
    if (module.status === 'linked') await module.evaluate();
  };

  try {
    await run(load(realpathSync(file)));
    return undefined;
  } catch (error) {
    return describe(error);
  }
}

// An error thrown inside the context is no instance of this world's Error.
function describe(error: unknown): string {
  const { name, message, stack } = { name: 'Error', message: String(error), stack: '', ...fieldsOf(error) };
  const [, place] =
    /^\s+at (?:[^\n(]*\()?(\/[^\n]*?:\d+):\d+\)?$/mu.exec(stack) ?? /^(\/[^\n]+:\d+)\n/u.exec(stack) ?? [];
  if (name === 'Error') return message;
  const advice = name === 'ReferenceError' ? '; a browser has no such global: take it as a parameter' : '';
  return `${name}: ${message}${place === undefined ? '' : ` (${shorten(place)})`}${advice}`;
}

function fieldsOf(error: unknown): { name?: string; message?: string; stack?: string } {
  if (typeof error !== 'object' || error === null) return {};
  const read = (key: string): string => String(Reflect.get(error, key));
  return { name: read('name'), message: read('message'), stack: read('stack') };
}

function shorten(path: string): string {
  return relative(process.cwd(), path);
}
