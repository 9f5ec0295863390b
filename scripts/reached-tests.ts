import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { listSources, readPackages, readText } from '../checks/repository.ts';

/** For each test file that a change of these files can reach, over how many imports; 0 is a changed test itself. */
export function findReachedTests(root: string, changed: readonly string[]): Map<string, number> {
  const importers = readImporters(root);
  const distances = new Map(changed.flatMap((file) => origins(file, importers)).map((file) => [file, 0]));
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  }
  return new Map([...distances].filter(([file]) => file.endsWith('.test.ts')));
}

/** A style, a fixture or another file that no module names is one of the modules beside it. */
function origins(file: string, importers: Importers): string[] {
  if (importers.has(file)) return [file];
  const folder = posix.dirname(file);
  return [...importers.keys()].filter((other) => posix.dirname(other) === folder);
}

/** The files that load each file: all sources are among the keys. */
type Importers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Reads which files load which. A name that is taken from the entry of a package leads to the module that defines it, not to everything
 * that the entry offers: otherwise a change of the kernel would reach all tests there are. Types are gone at run time, and the type checker
 * follows them.
 */
function readImporters(root: string): Importers {
  const sources = listSources(root);
  const importers = new Map(sources.map((file) => [file, new Set<string>()]));
  const entries = readEntries(root);
  const modules = new Map(sources.map((file) => [file, readModule(file, readText(root, file))]));
  const resolve = (from: string, specifier: string): string | undefined => {
    const path = specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : entries.get(specifier);
    return path !== undefined && importers.has(path) ? path : undefined;
  };
  /** The modules that a name passes through from an entry to where it is defined; all that it offers without a name. */
  const trace = (file: string, name: string | undefined, seen: Set<string>): Set<string> => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const offered of modules.get(file)?.offers ?? []) {
      if (name !== undefined && offered.name !== undefined && offered.name !== name) continue;
      const target = resolve(file, offered.specifier);
      if (target !== undefined) trace(target, name === undefined ? undefined : offered.original, seen);
    }
    return seen;
  };
  for (const [file, { uses, paths }] of modules) {
    for (const { specifier, name } of uses) {
      const target = resolve(file, specifier);
      if (target === undefined) continue;
      for (const loaded of trace(target, name, new Set())) importers.get(loaded)?.add(file);
    }
    // Programs and threads that are started by their paths.
    for (const path of paths) importers.get(posix.join(posix.dirname(file), path))?.add(file);
    if (file.startsWith('packages/web/e2e/')) importers.get(pageEntry)?.add(file);
  }
  return importers;
}

/** Tests in a browser load the page as it is built. */
const pageEntry = 'packages/web/src/main.tsx';

/** Returns the files of all entries of packages, by their import names. */
function readEntries(root: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const { directory, name, exports } of readPackages(root))
    for (const [entry, target] of exports) entries.set(posix.join(name, entry), posix.join(directory, target));
  return entries;
}

interface ModuleParts {
  /** The names it imports, one by one; without a name the whole module. */
  uses: { specifier: string; name?: string }[];
  /** The names it exports again: under a name the original one, or without a name everything. */
  offers: { specifier: string; name?: string; original?: string }[];
  /** Relative paths of sources in its texts. */
  paths: string[];
}

function readModule(file: string, text: string): ModuleParts {
  const { module } = parseSync(file, text);
  const parts: ModuleParts = { uses: [], offers: [], paths: [] };
  for (const { moduleRequest, entries } of module.staticImports) {
    const specifier = moduleRequest.value;
    if (entries.length === 0) parts.uses.push({ specifier });
    for (const { importName, isType } of entries) {
      if (isType) continue;
      parts.uses.push(typeof importName.name === 'string' ? { specifier, name: importName.name } : { specifier });
    }
  }
  for (const { moduleRequest, exportName, importName, isType } of module.staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    if (moduleRequest === null || isType) continue;
    const named = typeof exportName.name === 'string' && typeof importName.name === 'string';
    const names = named ? { name: exportName.name ?? '', original: importName.name ?? '' } : {};
    parts.offers.push({ specifier: moduleRequest.value, ...names });
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = text.slice(moduleRequest.start + 1, moduleRequest.end - 1);
    parts.uses.push({ specifier });
  }
  const statements = [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries)];
  const specifiers = new Set(statements.map(({ moduleRequest }) => moduleRequest?.value));
  for (const [, path = ''] of text.matchAll(/'([\w./-]+\.(?:ts|mjs|tsx))'/gu)) {
    if (!specifiers.has(path)) parts.paths.push(path);
  }
  return parts;
}
