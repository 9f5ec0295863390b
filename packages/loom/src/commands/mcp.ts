import { LoomClient } from '@loom/client';
import type { Locate } from '@loom/client';
import { nodeDisk } from '@loom/data-folder/files';
import { accessOperations } from '../serve/access-operations.ts';
import type { Identity } from '@loom/server/access';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/failure.ts';
import { OwnToken } from '../mcp/own-token.ts';
import { nowhere } from '../runtime/sharing/attached-folder.ts';
import { clientPorts } from '../runtime/sharing/client-ports.ts';
import { SilenceWatch } from '../runtime/sharing/silence-watch.ts';
import { Succession } from '../runtime/sharing/succession.ts';
import { openTokensOnce } from '../serve/token-file.ts';
import { orFail } from '../words/refusal-error.ts';

/** The rights of a client, in the words of the command line, and the roles that grant them. */
const grants = { read: 'reader', append: 'appender', edit: 'writer' } as const;

/** `loom mcp`: standard output is the protocol's alone. */
export async function serveMcp(call: Call): Promise<ExitCode> {
  const { dataDir, store, terminal } = call;
  const limits = readLimits(call);
  const tokens = openTokensOnce(nodeDisk, dataDir);
  const note = (text: string): void => terminal.note(text);
  const succession = new Succession({ dataDir, store, operations: accessOperations(tokens), tokens, note }, nowhere);
  const locate: Locate = (lost) => succession.locate(lost);
  await succession.locate(nowhere);
  const stopping = new AbortController();
  const stopListening = terminal.onInterrupt(() => stopping.abort());
  try {
    const silence = new SilenceWatch({ dataDir, note });
    const client = new LoomClient({ ...clientPorts(silence.fetch), locate });
    const token = new OwnToken(client, locate, await identityOf(limits, client));
    const { bridgeStdio } = await import('@loom/server/mcp-stdio');
    await bridgeStdio({
      input: process.stdin,
      output: process.stdout,
      fetch: (_url, init = {}) => silence.during(() => token.fetch('/mcp', init)),
      signal: stopping.signal,
      onFailure: (error) => note(`${error instanceof Error ? error.message : String(error)}\n`),
    });
    await token.revoke();
  } finally {
    stopListening();
    await succession.close();
  }
  return EXIT.ok;
}

interface Limits {
  agent: string;
  role: Identity['role'];
  /** Conversations, as they were named. */
  named: readonly string[];
}

function readLimits({ options, repeated }: Call): Limits {
  const allowed = options.get('allow') ?? 'edit';
  const role = Object.entries(grants).find(([word]) => word === allowed)?.[1];
  if (role === undefined) {
    throw new UsageError('bad-option', `--allow takes read, append or edit, not ${String(allowed)}`, {
      advice: 'read: only look; append: add messages too; edit: change texts too.',
    });
  }
  const agent = String(options.get('agent') ?? 'mcp');
  if (!/^[\w.:-]{1,100}$/u.test(agent)) {
    throw new UsageError('bad-option', `--agent takes a name of letters, digits and . _ : -, not ${agent}`, {
      advice: 'Such as --agent claude-code',
    });
  }
  return { agent, role, named: repeated.get('root') ?? [] };
}

async function identityOf({ agent, role, named }: Limits, client: LoomClient): Promise<Identity> {
  if (named.length === 0) return { agent, type: 'model', role };
  const roots: string[] = [];
  for (const text of named) roots.push(orFail(await client.call('id.resolve', { text })).root);
  return { agent, type: 'model', role, roots };
}
