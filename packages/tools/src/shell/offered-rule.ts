import type { PermissionRule } from '@loom/kernel';
import { exactPattern } from '../command-line/command-pattern.ts';

/**
 * Beginnings of commands that people run again and again with other arguments: tests, builds and looks at the repository. They run the
 * project's own code or change nothing, and their further arguments do not change that.
 */
const open = [
  'npm test',
  'npm run *',
  'pnpm test',
  'pnpm run *',
  'yarn test',
  'yarn run *',
  'bun test',
  'bun run *',
  'cargo test',
  'cargo build',
  'cargo check',
  'cargo clippy',
  'go test',
  'go build',
  'go vet',
  'make *',
  'pytest',
  'python -m pytest',
  'python3 -m pytest',
  'npx tsc',
  'npx eslint',
  'npx vitest',
  'npx jest',
  'mvn test',
  'gradle test',
  './gradlew test',
  'ls',
  'pwd',
  'git status',
].map((line) => line.split(' '));

/** Returns the rule that "always" stores for a command: the command itself, or with any further arguments where that is usual. */
export function offeredRule(words: readonly string[], hasNetwork: boolean): PermissionRule {
  const prefix = open.find((start) => start.every((word, index) => isLike(word, words[index])));
  const command = prefix === undefined ? exactPattern(words) : `${exactPattern(words.slice(0, prefix.length))} *`;
  return { tool: 'shell', command, ...(hasNetwork ? { host: '*' } : {}), effect: 'allow' };
}

function isLike(word: string, given: string | undefined): boolean {
  if (given === undefined) return false;
  return word === '*' ? !given.startsWith('-') : word === given;
}
