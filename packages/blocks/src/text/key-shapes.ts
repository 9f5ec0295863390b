/**
 * The shapes of keys and tokens that well-known services give out: model providers, GitHub, GitLab, AWS, Slack, Hugging Face. Each begins with
 * a fixed word, so that few other texts look alike.
 */
export const keyShapes =
  /\b(?:sk-[A-Za-z0-9_-]{12,}|AIza[A-Za-z0-9_-]{20,}|(?:gsk|ghp|gho|ghu|ghs|ghr|github_pat|hf|xai|pplx)[_-][A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{16,}|AKIA[A-Z0-9]{16}\b)/gu;

/** Returns what looks like a key in a text, each once. A name such as `sk-learn-contrib-extras` has no digits and is none. */
export function findKeys(text: string): string[] {
  const found = [...text.matchAll(keyShapes)].map(([key]) => key).filter((key) => /\d/u.test(key));
  return [...new Set(found)];
}

/** A secret as it may be shown: enough to tell two keys apart, too little to use one. */
export function maskSecret(secret: string): string {
  return secret.length < 16 ? '…' : `${secret.slice(0, 3)}…${secret.slice(-4)}`;
}
