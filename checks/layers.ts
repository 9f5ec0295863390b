import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { LayerRow } from './architecture-table.ts';
import { readArchitectureTable } from './architecture-table.ts';
import type { Finding } from './finding.ts';
import { InnerWalls } from './inner-walls.ts';
import type { ModuleImport } from './module-imports.ts';
import { readImports } from './module-imports.ts';
import type { Manifest } from './repository.ts';
import { isTestFile, listPackageDirectories, listSources, readManifest, readPackages, readText } from './repository.ts';

// The packages that tests may use beyond their own row, so that they need not fake a store or a provider.
const testOnlyEntries = [
  '@loom/kernel/testing',
  '@loom/stores/memory',
  '@loom/providers/demo',
  '@loom/providers/testing',
];

/** Holds every import of the repository against ARCHITECTURE.md's tables. */
export function checkLayers(root: string, walls = new InnerWalls(root)): Finding[] {
  const { rows, findings } = readArchitectureTable(root);
  const packages = new Map(readPackages(root).map((manifest) => [manifest.name, manifest]));
  const rootManifest = readManifest(root, '.');
  const found = [...findings, ...checkDirectories(root, rows)];
  for (const file of listSources(root)) {
    const own = [...packages.values()].find(({ directory }) => file.startsWith(`${directory}/`));
    const row = own === undefined ? undefined : rows.get(posix.basename(own.directory));
    // A package without a row is reported as such; its imports cannot be judged.
    if (own !== undefined && row === undefined) continue;
    const importer: Importer = { file, own, row, packages, rootManifest, isTest: isTestFile(file) };
    for (const item of readImports(file, readText(root, file))) {
      const message = judge(item, importer) ?? judgeInside(item, importer, walls);
      if (message !== undefined) found.push({ file, line: item.line, message });
    }
  }
  return [...found, ...walls.finish()];
}

interface Importer {
  readonly file: string;
  /** The package that the file lies in; none for scripts, checks and benchmarks. */
  readonly own: Manifest | undefined;
  readonly row: LayerRow | undefined;
  readonly packages: ReadonlyMap<string, Manifest>;
  readonly rootManifest: Manifest | undefined;
  readonly isTest: boolean;
}

function checkDirectories(root: string, rows: ReadonlyMap<string, LayerRow>): Finding[] {
  return listPackageDirectories(root).flatMap((name) => {
    const file = `packages/${name}/package.json`;
    const manifest = readManifest(root, `packages/${name}`);
    const findings: Finding[] = [];
    if (!rows.has(name)) findings.push({ file: 'ARCHITECTURE.md', message: `add a row for packages/${name}` });
    if (manifest?.name !== `@loom/${name}`) findings.push({ file, message: `name the package @loom/${name}` });
    return findings;
  });
}

/** A sentence about what is wrong with an import, or undefined. */
function judge({ specifier, typeOnly }: ModuleImport, importer: Importer): string | undefined {
  if (specifier === undefined) return 'name the module by a plain string, so that it can be checked';
  if (specifier.startsWith('.')) return judgeRelative(specifier, importer);
  if (isBuiltin(specifier)) return judgeBuiltin(specifier, importer);
  if (/^[#/]|^[a-z]+:/u.test(specifier)) return `import "${specifier}" by a relative path or a package name`;
  const [name, entry] = splitSpecifier(specifier);
  if (name.startsWith('@loom/')) return judgePackage(name, entry, typeOnly, importer);
  return judgeThirdParty(name, typeOnly, importer);
}

function judgeRelative(specifier: string, { file, own, packages, isTest }: Importer): string | undefined {
  const target = posix.join(posix.dirname(file), specifier);
  const owner = [...packages.values()].find(({ directory }) => target.startsWith(`${directory}/`));
  if (owner !== own) {
    return owner === undefined
      ? `"${specifier}" leaves the package; a package uses nothing of the repository around it`
      : `import ${owner.name} by its name instead of "${specifier}"`;
  }
  if (!isTest && isTestFile(target)) return `"${specifier}" exists for tests only; move what is needed out of it`;
  return undefined;
}

function judgeInside({ specifier }: ModuleImport, { file, isTest }: Importer, walls: InnerWalls): string | undefined {
  return !isTest && specifier?.startsWith('.') === true ? walls.judge(file, specifier) : undefined;
}

function judgeBuiltin(specifier: string, { own, row, isTest }: Importer): string | undefined {
  if (!specifier.startsWith('node:')) return `write node:${specifier}`;
  if (own === undefined || isTest || row?.node === true) return undefined;
  return `${own.name} must run in a browser: take what "${specifier}" does as a parameter (table of ARCHITECTURE.md)`;
}

function judgePackage(name: string, entry: string, typeOnly: boolean, importer: Importer): string | undefined {
  const { own, row, packages, isTest } = importer;
  const specifier = entry === '.' ? name : `${name}/${entry.slice(2)}`;
  if (name === own?.name) return isTest ? undefined : `inside ${name} import by relative path`;
  const target = packages.get(name);
  if (target === undefined) return `there is no package ${name}`;
  const file = target.exports.get(entry);
  if (file === undefined) {
    return `${name} does not export "${entry}"; import one of ${[...target.exports.keys()].join(', ')}`;
  }
  if (!isTest && own !== undefined && isTestFile(posix.join(target.directory, file))) {
    return `"${specifier}" exists for tests only; move what is needed out of it`;
  }
  if (own === undefined || (isTest && testOnlyEntries.includes(specifier))) return undefined;
  const right = row?.packages.get(posix.basename(target.directory));
  if (right === undefined) return `${own.name} may not import ${name} (table of ARCHITECTURE.md)`;
  if (typeof right !== 'string' && !right.has(entry))
    return `${own.name} may import only parts of ${name}, not "${specifier}" (table of ARCHITECTURE.md)`;
  if (right === 'types' && !typeOnly && !isTest)
    return `${own.name} may take only types from ${name}: write \`import type\``;
  if (own.dependencies.has(name) || (isTest && own.devDependencies.has(name))) return undefined;
  return `list ${name} in the dependencies of ${own.directory}/package.json`;
}

function judgeThirdParty(name: string, typeOnly: boolean, importer: Importer): string | undefined {
  const { own, row, rootManifest, isTest } = importer;
  const developing = rootManifest?.devDependencies.has(name) === true;
  if (own === undefined) {
    return developing || rootManifest?.dependencies.has(name) === true
      ? undefined
      : `list ${name} in the devDependencies of the root package.json`;
  }
  if (isTest && (developing || own.devDependencies.has(name))) return undefined;
  const allowed = row?.thirdParty ?? [];
  if (allowed !== 'declared' && !allowed.some((pattern) => matches(pattern, name))) {
    return `${own.name} may not use ${name} (table of ARCHITECTURE.md)`;
  }
  // Types are gone at run time, so a development dependency is enough for them.
  if (own.dependencies.has(name) || (typeOnly && own.devDependencies.has(name))) return undefined;
  return `list ${name} in the dependencies of ${own.directory}/package.json`;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** `@loom/blocks/views` → the package and its entry as `exports` writes it. */
function splitSpecifier(specifier: string): [name: string, entry: string] {
  const parts = specifier.split('/');
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const rest = specifier.slice(name.length + 1);
  return [name, rest === '' ? '.' : `./${rest}`];
}
