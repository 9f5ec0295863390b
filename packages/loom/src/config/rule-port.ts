import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { formatProblems, problemsOf, stableDeepEqual } from '@loom/blocks';
import { nodeDisk } from '@loom/data-folder/files';
import type { Clock, PermissionRule } from '@loom/kernel';
import type { RulePort, RuleUse, StoredRule } from '@loom/tools';
import { parseToml } from '../toml/parse.ts';
import { ConfigError } from './config-error.ts';
import { readConfigFile } from './config-file.ts';
import { MAIN_FILE } from './layers.ts';
import { RuleUses } from './rule-uses.ts';
import { appendElement, removeElement } from './write.ts';
import type { ConfigTarget, WriteResult } from './write.ts';

const array = 'permissions';

/** A rule in the file. Strict: a misspelled key would make a rule wider than it looks. */
const element = z.strictObject({
  id: z.string().optional(),
  tool: z.string().min(1),
  command: z.string().min(1).optional(),
  path: z.string().min(1).optional(),
  host: z.string().min(1).optional(),
  directory: z.string().min(1).optional(),
  effect: z.enum(['allow', 'ask', 'deny']),
  by: z.string().optional(),
  at: z.union([z.string(), z.date().transform((date) => date.toISOString())]).optional(),
});
type Element = z.infer<typeof element>;

/** The rules of a data folder, and how often each was used. */
export interface ConfigRules extends RulePort {
  uses(): Promise<ReadonlyMap<string, RuleUse>>;
  /** Counts a use of a rule, if it is one of the configuration. */
  used(rule: PermissionRule): void;
  /** Writes down what was counted. */
  close(): Promise<void>;
}

/**
 * Keeps permissions as `[[permissions]]` in config.toml of the data folder. Files in the folders of projects are not looked at: what is
 * checked out must not permit anything.
 */
export function configRules(target: ConfigTarget & { clock: Clock }): ConfigRules {
  const counted = new RuleUses(target);
  let known: { text: string; rules: readonly StoredRule[] } | undefined;
  const list = async (): Promise<readonly StoredRule[]> => {
    const path = join(target.dataDir, MAIN_FILE);
    const { text = '' } = (await readConfigFile(target.disk ?? nodeDisk, path)) ?? {};
    if (known?.text !== text) known = { text, rules: rulesIn(text, path) };
    return known.rules;
  };
  return {
    list,
    async add(rule, by) {
      const same = (await list()).find((stored) => stableDeepEqual(stored.rule, rule));
      if (same !== undefined) return same.id;
      const id = `rule-${randomBytes(5).toString('hex')}`;
      const { provider: _provider, ...fields } = rule;
      const at = new Date(target.clock.now()).toISOString();
      written(await appendElement(target, array, { id, ...fields, by, at }));
      return id;
    },
    async remove(id) {
      const rules = await list();
      if (!rules.some((stored) => stored.id === id)) return false;
      const { changed } = written(await removeElement(target, array, (item, index) => idOf(item['id'], index) === id));
      return changed;
    },
    uses: async () => counted.of(await list()),
    used: (rule) => counted.add(rule, list),
    close: () => counted.close(),
  };
}

function written(result: WriteResult): { changed: boolean } {
  if (result.ok) return result;
  throw new ConfigError('cannot-write', `the permissions cannot be written: ${result.refusal.reason}`, {
    advice: 'Correct config.toml in an editor, or try again; nothing was changed.',
  });
}

function rulesIn(text: string, path: string): StoredRule[] {
  const parsed = parseToml(text);
  const value = parsed.ok ? parsed.table[array] : undefined;
  const read = z.array(element).safeParse(value ?? []);
  if (read.success) return read.data.map((item, index) => storedRule(item, index));
  // One that cannot be read may be one that denies, so none counts until it is corrected.
  throw new ConfigError(
    'bad-type',
    `the permissions in ${path} cannot be read: ${formatProblems(problemsOf(read.error))}`,
    {
      advice: `Correct the entries [[${array}]] in an editor. Until then no tool runs.`,
      details: { file: path },
    },
  );
}

function storedRule({ id, by, at, ...fields }: Element, index: number): StoredRule {
  const rule: PermissionRule = { tool: fields.tool, effect: fields.effect };
  for (const key of ['command', 'path', 'host', 'directory'] as const) {
    const value = fields[key];
    if (value !== undefined) rule[key] = value;
  }
  return {
    id: idOf(id, index),
    rule,
    ...(by === undefined ? {} : { by }),
    ...(at === undefined ? {} : { at }),
  };
}

/** A rule that was written by hand is known by its place. */
function idOf(id: unknown, index: number): string {
  return typeof id === 'string' && id !== '' ? id : `rule-${index + 1}`;
}
