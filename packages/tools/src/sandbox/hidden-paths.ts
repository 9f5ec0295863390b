import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A path that a sandboxed command sees as an empty folder or an empty file. */
export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The places that secrets are looked for in. */
export interface SecretPlaces {
  readonly home: string;
  /** Loom's data folder, which holds conversations and keys. */
  readonly dataDir?: string;
}

/**
 * What stays visible of the hidden files and folders in a home: toolchains and the settings of git. Everything else that begins with a dot
 * may hold keys, so that a list of known keys would always be too short.
 */
const visible = new Set(
  [
    '.asdf .bun .cache .cargo .deno .dotnet .fnm .ghcup .gem .gitconfig .gitignore .gitignore_global .go .gradle .ivy2 .jenv',
    '.juliaup .local .m2 .mix .node-gyp .npm .npm-global .nuget .nvm .opam .pnpm-store .pub-cache .pyenv .rbenv .rustup .rvm',
    '.sbt .sdkman .stack .swiftly .swiftpm .tool-versions .volta .yarn',
  ].flatMap((line) => line.split(' ')),
);

/** Files and folders with keys inside of what stays visible. */
const secretsInside = [
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.gradle/gradle.properties',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.nuget/NuGet/NuGet.Config',
  '.pub-cache/credentials.json',
  '.sbt/.credentials',
  '.ivy2/.credentials',
  '.config/git/credentials',
  // The socket of a program that gives out passwords, and what browsers have shown.
  '.cache/git',
  '.cache/huggingface/token',
  '.cache/huggingface/stored_tokens',
  '.cache/mozilla',
  '.cache/chromium',
  '.cache/google-chrome',
  '.cache/thumbnails',
];

/** Folders in which programs keep keys, histories and messages: all but these names in them are hidden. */
const mostlyHidden: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    '.config': 'git fontconfig locale.conf',
    '.local': 'bin lib lib64 libexec include opt share',
    '.local/share':
      'applications bash-completion bun cargo coursier deno fnm fonts gem ghcup go hatch icons man mime mise nvm opam pipx pnpm pypoetry rtx rustup rye uv virtualenv virtualenvs zig',
  }).map(([folder, names]) => [folder, new Set(names.split(' '))]),
);

/** Keys of the system, for a Loom that runs as root. */
const secretsOfSystem = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers.d', '/root'];

/** Finds everything that a sandboxed command must not read, as the paths that the system knows after following links. */
export function hiddenPaths({ home, dataDir }: SecretPlaces): HiddenPath[] {
  const inHome = entries(home)
    .filter((name) => name.startsWith('.') && name !== '.config' && !visible.has(name))
    .map((name) => join(home, name));
  const inFolders = Array.from(mostlyHidden, ([folder, shown]) =>
    entries(join(home, folder))
      .filter((name) => !shown.has(name))
      .map((name) => join(home, folder, name)),
  ).flat();
  const system = secretsOfSystem.filter((path) => home !== path && !home.startsWith(`${path}/`));
  const inside = secretsInside.map((path) => join(home, path));
  const paths = [...inHome, ...inFolders, ...inside, ...system, ...(dataDir === undefined ? [] : [dataDir])];
  const found = new Map(paths.flatMap((path) => look(path)).map((hidden) => [hidden.path, hidden]));
  return [...found.values()];
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function look(path: string): HiddenPath[] {
  try {
    const real = realpathSync(path);
    const facts = statSync(real);
    // Sockets and devices are hidden like files.
    return [{ path: real, isFolder: facts.isDirectory() }];
  } catch {
    // It does not exist, or Loom may not look at it, and then a command may not either.
    return [];
  }
}
