/** Words in the name of a setting, header or variable whose value may be a secret. */
export const SECRET_NAMES = /key|token|secret|pass|pwd|credential|auth/i;

/** Returns true if a name sounds like that of a secret. */
export function soundsSecret(name: string): boolean {
  return SECRET_NAMES.test(name);
}
