import { foldName } from './true-name.ts';

/** Returns true for files that usually hold passwords or keys. The spelling of a name does not matter. */
export function isSecretPath(path: string): boolean {
  const names = path.split('/').map(foldName);
  const name = names.at(-1) ?? '';
  if (names.slice(0, -1).some((folder) => secretFolders.has(folder))) return true;
  if (/^\.env(?:$|\.)/u.test(name)) return !/\.(?:example|sample|template|dist|defaults)$/u.test(name);
  return (
    secretNames.has(name) || /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/u.test(name) || isPrivateKey(name)
  );
}

/** Returns true for files of the repository itself: what is written there, such as a hook, may be run later. */
export function isRepositoryPath(path: string): boolean {
  return path.split('/').some((name) => foldName(name) === '.git');
}

function isPrivateKey(name: string): boolean {
  return /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/u.test(name);
}

const secretFolders = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube']);

const secretNames = new Set([
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.htpasswd',
  '.git-credentials',
  '.envrc',
  'credentials',
  'credentials.json',
  'secrets.json',
  'secrets.yaml',
  'secrets.yml',
  'service-account.json',
]);
