/** The versions of a program that Loom was tried with. */
export interface TriedVersions {
  oldest: string;
  newest: string;
}

/** Returns the first version number in a text, such as `2.1.325` in `2.1.325 (Claude Code)`. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

/** Returns a sentence about a version that Loom was not tried with; it is used all the same. `undefined` for others. */
export function remarkOnVersion(
  program: string,
  version: string,
  { oldest, newest }: TriedVersions,
): string | undefined {
  if (compare(version, oldest) < 0)
    return `${program} ${version} is older than the versions that Loom was tried with (${oldest} to ${newest}). If something is missing, update it.`;
  if (compare(version, newest) > 0)
    return `${program} ${version} is newer than the versions that Loom was tried with (${oldest} to ${newest}).`;
  return undefined;
}

function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number));
  for (const [index, number] of (left ?? []).entries()) {
    const difference = number - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
