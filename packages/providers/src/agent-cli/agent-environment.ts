/** The variables that a config adds to an agent's environment: names that are passed on, or values. */
export interface EnvironmentWish {
  /** Variables of Loom's own environment that the agent gets too. */
  pass?: readonly string[];
  set?: Readonly<Record<string, string>>;
}

/**
 * Returns the environment of an agent's program: where programs and the home folder are, language, proxy, and what the config names. Keys of
 * Loom stay with Loom unless the config names them: the program uses the login that it has.
 */
export function agentEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  { pass = [], set = {} }: EnvironmentWish = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && (isPassed(name) || pass.includes(name))) environment[name] = value;
  }
  return { ...environment, ...set };
}

const passed: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TZ',
  'LANG',
  'LANGUAGE',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]);

function isPassed(name: string): boolean {
  return passed.has(name) || name.startsWith('LC_') || /^(?:https?|all|no)_proxy$/i.test(name);
}
