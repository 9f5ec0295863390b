/** Returns true if a root may have this id: it is a plain name that none of Loom's own files and folders has, in any spelling. */
export function isRootName(id: string): boolean {
  return isPlainName(id) && !ownName.test(id);
}

const ownName =
  /^(?:loom\..*|(?:config\.toml|roots\.json|client-ids\.json|leases\.json)(?:\..*)?|forest|quarantine|blobs)$/iu;

/** Returns true if a file or folder may have a name that comes from outside: it is not a path, and not hidden. */
export function isPlainName(name: string): boolean {
  // A file system takes 255 bytes, of which `.json` and the end of temporary names need some.
  if (usualName.test(name)) return true;
  return name !== '' && !name.startsWith('.') && !/[/\\\p{Cc}]/u.test(name) && Buffer.byteLength(name) <= 200;
}

const usualName = /^\w[\w.-]{0,199}$/u;
