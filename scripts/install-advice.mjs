// The words for a person whose installation failed: npm's shortened, and what usually helps.

/** An installation that cannot go on; `advice` is for the person. */
export class InstallError extends Error {
  /**
   * @param {string} message
   * @param {string} advice
   * @param {number} [exitCode]
   */
  constructor(message, advice, exitCode = 1) {
    super(message);
    this.name = 'InstallError';
    this.advice = advice;
    this.exitCode = exitCode;
  }

  /**
   * A failed write of our own in the same terms, or undefined if the error is of another kind.
   * @param {unknown} error
   * @param {string} root
   */
  static ofFileSystem(error, root) {
    if (!(error instanceof Error) || !('syscall' in error)) return undefined;
    return new InstallError(`Setting up failed: ${error.message}`, adviceFor(String(error), root));
  }
}

/**
 * The first advice whose sign is in the output.
 * @param {string} output
 * @param {string} root
 */
export function adviceFor(output, root) {
  const known = advices.find(({ sign }) => sign.test(output));
  if (known !== undefined) return known.advice.replaceAll('<root>', root);
  return `Read npm's words above. Often it is the network (\`npm ping\` tests the way to the registry), a full disk (\`df -h\`) or files of another user in ${root}. Running the command again is safe.`;
}

/**
 * The last lines, without the page of usage that npm appends to some errors.
 * @param {string} output
 */
export function readableTail(output) {
  const [said = ''] = output.split(/^npm error (?:Clean install a project|Usage:)$/mu);
  // Stacks and object literals of npm's own code say nothing to its user.
  const lines = said.split('\n').filter((line) => !/^(?:npm error)?\s*(?:at .*|\w+: .*,|\})?$/u.test(line));
  const shown = lines.slice(-20);
  if (shown.length < lines.length) shown.unshift(`(${lines.length - shown.length} more lines above)`);
  return shown.map((line) => `  ${line}`).join('\n');
}

const advices = [
  {
    sign: /\bEUSAGE\b/u,
    advice:
      'package-lock.json does not belong to these package.json files. After a change of dependencies run `npm install` and `npm run lock:complete`; otherwise take package-lock.json from version control.',
  },
  {
    sign: /\bENOSPC\b/u,
    advice:
      "The disk is full. Free some space (`df -h` shows where; `npm cache clean --force` empties npm's cache), then run the command again.",
  },
  {
    sign: /\b(?:EACCES|EPERM|EROFS)\b/u,
    advice:
      'A file or directory cannot be written. Check that <root> and the directory printed by `npm config get cache` belong to you and are not read-only.',
  },
  {
    sign: /\b(?:E401|E403|ENEEDAUTH)\b/u,
    advice:
      'The registry wants credentials. `npm config get registry` shows which one is asked; `npm login` or a token in ~/.npmrc lets you in.',
  },
  {
    sign: /CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)/u,
    advice:
      'The connection is encrypted with a certificate that Node does not know, as behind a company proxy. Point NODE_EXTRA_CA_CERTS at its certificate file.',
  },
  {
    sign: /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|E5\d\d)\b/u,
    advice:
      'The registry cannot be reached. `npm ping` tests the way to it. Behind a proxy set HTTPS_PROXY; `npm config get registry` shows which registry is asked.',
  },
  {
    sign: /\b(?:E404|ETARGET)\b/u,
    advice:
      'The registry does not have a package that package-lock.json names. `npm config get registry` shows which one is asked; a mirror may be incomplete.',
  },
  {
    sign: /\bEINTEGRITY\b/u,
    advice:
      'A downloaded package is not what package-lock.json expects. `npm cache clean --force` drops damaged copies; if it happens again, the registry serves other files and should not be trusted.',
  },
];
