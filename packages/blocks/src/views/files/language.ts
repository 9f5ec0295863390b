/** The language of a file by its name, as syntax highlighters call it; `undefined` for plain or unknown text. */
export function languageOfPath(path: string): string | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  const byName = languagesByName.get(name);
  if (byName !== undefined) return byName;
  const dot = name.lastIndexOf('.');
  return dot === -1 ? undefined : languagesByExtension.get(name.slice(dot + 1));
}

const languagesByName: ReadonlyMap<string, string> = invert({
  bash: '.bashrc .bash_profile .profile .zshrc .zprofile',
  cmake: 'cmakelists.txt',
  dockerfile: 'dockerfile containerfile',
  go: 'go.mod',
  makefile: 'makefile gnumakefile',
  ruby: 'gemfile rakefile vagrantfile podfile',
  starlark: 'build.bazel workspace.bazel build workspace',
});

const languagesByExtension: ReadonlyMap<string, string> = invert({
  astro: 'astro',
  bash: 'sh bash zsh ksh',
  bat: 'bat cmd',
  c: 'c h',
  clojure: 'clj cljs cljc edn',
  cmake: 'cmake',
  cpp: 'cc cpp cxx c++ hh hpp hxx ino',
  csharp: 'cs csx',
  css: 'css',
  csv: 'csv',
  cuda: 'cu cuh',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'dockerfile',
  elixir: 'ex exs',
  elm: 'elm',
  erlang: 'erl hrl',
  fish: 'fish',
  fsharp: 'fs fsi fsx',
  gleam: 'gleam',
  glsl: 'glsl vert frag',
  go: 'go',
  graphql: 'graphql gql',
  groovy: 'groovy gradle',
  haskell: 'hs lhs',
  hcl: 'hcl tf tfvars',
  html: 'html htm xhtml',
  ini: 'ini cfg conf properties editorconfig',
  java: 'java',
  javascript: 'js mjs cjs',
  json: 'json webmanifest ipynb',
  jsonc: 'jsonc',
  json5: 'json5',
  jsonl: 'jsonl ndjson',
  jsx: 'jsx',
  julia: 'jl',
  kotlin: 'kt kts',
  latex: 'tex sty cls',
  less: 'less',
  lua: 'lua',
  makefile: 'mk',
  markdown: 'md markdown',
  mdx: 'mdx',
  nix: 'nix',
  objectivec: 'm mm',
  ocaml: 'ml mli',
  perl: 'pl pm',
  php: 'php',
  powershell: 'ps1 psm1 psd1',
  prisma: 'prisma',
  protobuf: 'proto',
  python: 'py pyi pyw',
  r: 'r',
  ruby: 'rb rake gemspec',
  rust: 'rs',
  sass: 'sass',
  scala: 'scala sbt sc',
  scss: 'scss',
  solidity: 'sol',
  sql: 'sql',
  starlark: 'bzl star',
  svelte: 'svelte',
  swift: 'swift',
  toml: 'toml',
  tsx: 'tsx',
  typescript: 'ts mts cts',
  vim: 'vim',
  vue: 'vue',
  wgsl: 'wgsl',
  xml: 'xml xsd xsl xslt svg plist csproj',
  yaml: 'yaml yml',
  zig: 'zig',
});

function invert(namesByLanguage: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(namesByLanguage).flatMap(([language, names]) =>
      names.split(' ').map((name): [string, string] => [name, language]),
    ),
  );
}
