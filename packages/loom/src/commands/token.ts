import { nodeDisk } from '@loom/data-folder/files';
import { identityFields } from '@loom/server/access';
import { z } from 'zod';
import { textOption } from '../chat/answerer.ts';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../command-line/failure.ts';
import { isDatabaseUrl } from '../command-line/store-kind.ts';
import { timeAgo } from '../forest-view/time-ago.ts';
import { count } from '../terminal/progress.ts';
import type { Loom } from '../runtime/loom.ts';
import { findPlace } from '../runtime/named-place.ts';
import { withReader } from '../runtime/opened-folder.ts';
import { withLoom } from '../runtime/sharing/shared-folder.ts';
import { accessOperations } from '../serve/access-operations.ts';
import { openTokensOnce } from '../serve/token-file.ts';
import { styleFor } from '../terminal/style.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { orFail } from '../words/refusal-error.ts';

const made = z.object({ id: z.string(), token: z.string() });
const listed = z.object({
  items: z.array(
    z.looseObject({ id: z.string(), ...identityFields, created_at: z.int(), expires_at: z.int().optional() }),
  ),
});
const revoked = z.object({ revoked: z.boolean() });

/** `loom token create <agent>` */
export function createToken(call: Call): Promise<ExitCode> {
  const { words, options, repeated, dataDir, store, isJson, terminal } = call;
  const [agent = ''] = words;
  const identity = {
    agent: readChoice('the name of an agent', agent, identityFields.agent, 'letters, digits and . _ : -'),
    type: readChoice('--type', textOption(options, 'type') ?? 'tool', identityFields.type),
    role: readChoice('--role', textOption(options, 'role') ?? 'writer', identityFields.role),
    ...readDays(textOption(options, 'days')),
  };
  return withLoom({ dataDir, store }, async (loom) => {
    const roots = await findRoots(loom, repeated.get('root') ?? []);
    const params = { ...identity, ...(roots.length === 0 ? {} : { roots }) };
    const { id, token } = made.parse(orFail(await loom.call('token.create', params)));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, id, token })}\n`);
    else {
      terminal.note(`A token for ${agent} (${identity.type}, ${identity.role}). It is shown this once:\n`);
      terminal.out(`${token}\n`);
    }
    return EXIT.ok;
  });
}

/** `loom token list` */
export function listTokens({ dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const operations = accessOperations(openTokensOnce(nodeDisk, dataDir));
  const list = async (loom: Loom): Promise<ExitCode> => {
    const { items } = listed.parse(orFail(await loom.call('token.list', {})));
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, tokens: items })}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    for (const { id, agent, type, role, roots, created_at: created, expires_at: end } of items) {
      const scope = roots === undefined ? '' : `, ${count(roots.length, 'conversation')} only`;
      const until = end === undefined ? '' : `, until ${new Date(end).toISOString().slice(0, 10)}`;
      const age = timeAgo(created, loom.clock.now());
      terminal.out(`${style.faint(id)}  ${style.strong(agent)}  ${type}, ${role}${scope}, made ${age}${until}\n`);
    }
    if (items.length === 0) terminal.note(`There are no tokens. To make one: ${suggest('token create <agent>')}\n`);
    return EXIT.ok;
  };
  return isDatabaseUrl(store)
    ? withLoom({ dataDir, store }, list)
    : withReader({ dataDir, operations, files: false }, list);
}

/** `loom token revoke <id>` */
export function revokeToken({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const [id = ''] = words;
  return withLoom({ dataDir, store }, async (loom) => {
    if (!revoked.parse(orFail(await loom.call('token.revoke', { id }))).revoked) {
      throw new LoomError('no-such-token', `there is no token ${JSON.stringify(id)}`, {
        advice: `${suggest('token list')} shows the ids of those that there are.`,
      });
    }
    terminal.out(isJson ? `${JSON.stringify({ ok: true, id })}\n` : `The token ${id} opens nothing any more.\n`);
    return EXIT.ok;
  });
}

function readChoice<T>(what: string, given: string, schema: z.ZodType<T>, taken?: string): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const choices = taken ?? (schema instanceof z.ZodEnum ? schema.options.join(', ') : '');
  throw new UsageError('bad-option', `${what} cannot be ${JSON.stringify(given)}`, { advice: `It takes ${choices}.` });
}

function readDays(given: string | undefined): { days?: number } {
  if (given === undefined) return {};
  const days = Number(given);
  if (given.trim() !== '' && days > 0 && days <= 36_500) return { days };
  throw new UsageError('bad-option', `--days takes a number of days up to 36500, not ${JSON.stringify(given)}`);
}

async function findRoots(loom: Loom, words: readonly string[]): Promise<string[]> {
  const roots: string[] = [];
  for (const word of words) roots.push((await findPlace(loom, word)).root);
  return roots;
}
