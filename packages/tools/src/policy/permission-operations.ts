import { z } from 'zod';
import { defineOperation, permissionRule, refuse } from '@loom/kernel';
import { readSimpleCommand } from '../command-line/simple-command.ts';
import { readCommandPattern } from '../command-line/command-pattern.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { dangerOfCommand } from '../shell/code-in-arguments.ts';
import { decidePermission } from './decide-permission.ts';
import { decideFile } from './file-permissions.ts';
import type { RulePort } from './stored-rule.ts';

const givenRule = () => permissionRule.omit({ provider: true });

/** The operations about the rules of the configuration. */
export function permissionOperations(rules: RulePort, sandbox: () => Promise<Pick<Sandbox, 'state'>>) {
  const list = defineOperation({
    name: 'permission.list',
    summary:
      'Lists the permissions of the configuration in their order. The first that matches decides; one that denies always wins.',
    params: () =>
      z.strictObject({
        limit: z.int().min(1).max(10_000).exactOptional().describe('At most this many. Default: all.'),
        after: z.string().exactOptional().describe('The value of next from the previous page.'),
      }),
    result: () =>
      z.strictObject({
        items: z.array(
          z.strictObject({
            id: z.string(),
            rule: givenRule(),
            by: z.string().exactOptional().describe('The agent that stored it; absent if it was written by hand.'),
            at: z.string().exactOptional().describe('When it was stored, as ISO 8601 in UTC.'),
            uses: z
              .int()
              .nonnegative()
              .describe('The number of calls that it has decided about: that ran, asked or were denied because of it.'),
            last_used: z.string().exactOptional().describe('When it last did, as ISO 8601 in UTC.'),
          }),
        ),
        next: z.string().exactOptional(),
      }),
    effect: 'reads',
    role: 'owner',
    run: async (_engine, _caller, { limit = 10_000, after }) => {
      const all = await rules.list();
      const begin = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      const used = await rules.uses?.();
      const items = all.slice(begin, begin + limit).map((stored) => ({ ...stored, uses: 0, ...used?.get(stored.id) }));
      const last = items.at(-1);
      const hasMore = last !== undefined && begin + limit < all.length;
      return { ok: true, value: { items, ...(hasMore ? { next: last.id } : {}) } };
    },
  });
  const add = defineOperation({
    name: 'permission.add',
    summary:
      'Stores a permission in the configuration, behind the others. Returns the id of one that is already there.',
    params: () => z.strictObject({ rule: givenRule() }),
    result: () => z.strictObject({ id: z.string() }),
    effect: 'changes',
    role: 'owner',
    run: async (_engine, { agent, type }, { rule }) => {
      // A model never writes a rule.
      if (type !== 'person') return refuse({ reason: 'not-permitted', needs: 'person', operation: 'permission.add' });
      if (rule.command !== undefined && readCommandPattern(rule.command) === undefined) {
        const problem = 'must be one plain command, with * as its last word for any further arguments';
        return refuse({ reason: 'invalid-params', problems: [{ path: ['rule', 'command'], problem }] });
      }
      return { ok: true, value: { id: await rules.add(rule, agent) } };
    },
  });
  const remove = defineOperation({
    name: 'permission.remove',
    summary: 'Removes a permission from the configuration.',
    params: () => z.strictObject({ id: z.string() }),
    result: () => z.strictObject({ removed: z.boolean().describe('False if there was none with this id.') }),
    effect: 'changes',
    role: 'owner',
    run: async (_engine, { type }, { id }) => {
      if (type !== 'person')
        return refuse({ reason: 'not-permitted', needs: 'person', operation: 'permission.remove' });
      return { ok: true, value: { removed: await rules.remove(id) } };
    },
  });
  const tryOut = defineOperation({
    name: 'permission.test',
    summary:
      'Says what would happen to a call: it runs, asks or is denied, and because of which permission. Nothing runs.',
    params: () =>
      z.strictObject({
        tool: z.string(),
        command: z.string().exactOptional().describe('For shell: the command line.'),
        path: z.string().exactOptional().describe('For file tools: the path below the folder.'),
        host: z.string().exactOptional().describe('For fetch_url: the machine.'),
        directory: z.string().exactOptional().describe('The folder of the conversation.'),
        mode: z.enum(['plan', 'ask', 'edit', 'sandbox']).exactOptional().describe('Default: ask.'),
      }),
    result: () =>
      z.strictObject({
        permission: z.enum(['run', 'ask', 'deny']),
        rule: givenRule().exactOptional().describe('The permission that decided.'),
        reason: z.string(),
      }),
    effect: 'reads',
    role: 'owner',
    run: async (engine, _caller, { tool, command: line, mode = 'ask', ...place }) => {
      const { effect = 'runs' } = engine.registry.tool(tool) ?? {};
      const { path, directory = '' } = place;
      const { permission, rule, reason } =
        path !== undefined && effect !== 'runs'
          ? await decideFile(rules, { tool, effect, path, directory, mode, allowed: [] })
          : decidePermission({
              tool,
              effect,
              mode,
              ...place,
              rules: await rules.list(),
              allowed: [],
              ...(await askedCommand(line)),
            });
      const plain = rule === undefined ? undefined : { ...rule };
      if (plain !== undefined) delete plain.provider;
      return {
        ok: true,
        value: {
          permission,
          ...(plain === undefined ? {} : { rule: plain }),
          reason: reason ?? usualReasons[permission],
        },
      };
    },
  });
  const askedCommand = async (line: string | undefined) => {
    if (line === undefined) return { isSandboxed: true };
    const command = readSimpleCommand(line);
    const { available } = await (await sandbox()).state();
    return { command, danger: dangerOfCommand(line, command), isSandboxed: available };
  };
  return [list, add, remove, tryOut] as const;
}

/** The reasons of decisions about files that need no words in a conversation. */
const usualReasons = { run: 'The mode allows it.', ask: 'No rule allows it.', deny: 'A rule denies it.' };
