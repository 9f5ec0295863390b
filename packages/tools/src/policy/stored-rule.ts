import type { PermissionRule } from '@loom/kernel';

/** A rule of the configuration, with who stored it and when. */
export interface StoredRule {
  readonly id: string;
  readonly rule: PermissionRule;
  /** The agent that stored it; absent for one that was written into the file by hand. */
  readonly by?: string;
  /** ISO 8601 in UTC. */
  readonly at?: string;
}

/** The use of a rule so far. */
export interface RuleUse {
  /** The number of calls that it has decided about: those that ran, asked and were denied. */
  readonly uses: number;
  /** ISO 8601 in UTC. */
  readonly last_used: string;
}

/** Keeps the rules of the configuration. */
export interface RulePort {
  /** Returns them in their order: the first that matches decides. */
  list(): Promise<readonly StoredRule[]>;
  /** Stores a rule behind the others; one that is already there is not stored twice. Returns its id. */
  add(rule: PermissionRule, by: string): Promise<string>;
  /** Returns false if there is no such rule. */
  remove(id: string): Promise<boolean>;
  /** Returns the use of each rule that was used, by its id. */
  uses?(): Promise<ReadonlyMap<string, RuleUse>>;
}

/** No rules, and no place for any: for an engine without a data folder. */
export const noRules: RulePort = {
  list: () => Promise.resolve([]),
  add: () => Promise.reject(new Error('there is no data folder to store a rule in')),
  remove: () => Promise.resolve(false),
};
