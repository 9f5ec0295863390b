import type { PermissionRule } from '@loom/kernel';
import type { Random } from '@loom/kernel/testing';
import { decidePermission } from '../decide-permission.ts';
import type { Trials } from './line-trials.ts';

/** Decides if a call of a tool that reaches a host runs unasked. */
export type PermitHost = (tool: string, host: string, rules: readonly PermissionRule[]) => boolean;

export const permitHost: PermitHost = (tool, host, rules) =>
  decidePermission({
    tool,
    effect: 'runs',
    mode: 'ask',
    host,
    rules: rules.map((rule, index) => ({ id: `${index}`, rule })),
    allowed: [],
    isSandboxed: true,
  }).permission === 'run';

const labels = ['example', 'org', 'a', 'b', 'evil', 'co', 'bad-example', 'xn--p1ai', '127', '0', '1', 'EXAMPLE', ''];
const tools = ['fetch_url', 'shell', 'fetch', 'fetch_url2', 'FETCH_URL'];

/** Holds random hosts and rules against a judge that compares names label by label. */
export function tryHosts(random: Random, count: number, permit: PermitHost): Trials {
  const trials: Trials = { ran: 0, wrong: [] };
  const name = (): string =>
    Array.from({ length: 1 + random.below(4) }, () => random.pick(labels) ?? '').join(random.chance(0.95) ? '.' : '');
  while (trials.ran < count) {
    const rules = Array.from({ length: 1 + random.below(3) }, (): PermissionRule => {
      const host = random.chance(0.05) ? '*' : random.chance(0.5) ? `*.${name()}` : name();
      const effect = random.pick(['allow', 'allow', 'ask', 'deny'] as const) ?? 'allow';
      const tool = random.chance(0.1) ? '*' : (random.pick(tools) ?? 'fetch_url');
      return { tool, effect, ...(random.chance(0.95) ? { host } : {}) };
    });
    const tool = random.pick(tools) ?? 'fetch_url';
    // Half of them are made of a rule, so that many are covered.
    const [{ host: ruled = '' } = { host: '' }] = rules;
    const host = random.chance(0.5) ? ruled.replace('*', random.pick(labels) ?? 'a') : name();
    // A name with an empty label is no address that a tool takes.
    if (/^\.|\.\./u.test(host) || host === '' || !permit(tool, host, rules)) continue;
    trials.ran += 1;
    if (!mayRun(tool, host, rules)) trials.wrong.push(`${tool} ${host} runs by ${JSON.stringify(rules)}`);
  }
  return trials;
}

function mayRun(tool: string, host: string, rules: readonly PermissionRule[]): boolean {
  const about = rules.filter((rule) => (rule.tool === '*' || rule.tool === tool) && isBelow(host, rule.host));
  return about.every(({ effect }) => effect !== 'deny') && about[0]?.effect === 'allow';
}

/** Compares names from their end, label by label. */
function isBelow(host: string, pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === '*') return true;
  const read = (text: string): string[] => {
    const parts = text.toLowerCase().split('.').reverse();
    return parts[0] === '' ? parts.slice(1) : parts;
  };
  const [wanted, given] = [read(pattern), read(host)];
  const isOpen = wanted.at(-1) === '*';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  return (
    fixed.every((label, index) => given[index] === label) &&
    (isOpen ? given.length > fixed.length : given.length === fixed.length)
  );
}
