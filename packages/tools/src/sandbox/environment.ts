/** The variables of Loom's own environment that a command may see. Keys have other names, and stay with Loom. */
const passedOn = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'SHELL',
  'JAVA_HOME',
  'GOPATH',
  'NVM_DIR',
];

/** A command has no terminal and no one to ask: pagers print, editors accept what is there, and prompts for passwords fail. */
const withoutTerminal: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONUNBUFFERED: '1',
};

/** Most programs follow one of these to the place of their caches; the usual one is read-only in a sandbox. */
const cachesInTemporaryFolder: Readonly<Record<string, string>> = {
  TMPDIR: '/tmp',
  XDG_CACHE_HOME: '/tmp/.cache',
  npm_config_cache: '/tmp/.npm',
};

/** Returns the environment of a command: of Loom's own only what has been named here, and what keeps programs from waiting for a person. */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  isSandboxed: boolean,
): Record<string, string> {
  const names = [...passedOn, ...Object.keys(own).filter((name) => /^LC_[A-Z]+$/u.test(name))];
  const environment: Record<string, string> = {};
  for (const name of names) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  environment['PATH'] ??= '/usr/local/bin:/usr/bin:/bin';
  return { ...environment, ...withoutTerminal, ...(isSandboxed ? cachesInTemporaryFolder : {}) };
}
