import { secretReport } from '@loom/kernel';
import type { SecretReport } from '@loom/kernel';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { quoteForShell, suggest } from '../../command-line/suggested-command.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { followJob } from '../followed-job.ts';
import type { Loom } from '../../runtime/loom.ts';
import { findPlace } from '../../runtime/named-place.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { count } from '../../terminal/progress.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';

/** `loom secrets`: lists keys, tokens and passwords in conversations, none of them whole, and erases their blocks on demand. */
export function listSecrets(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  return withPresentData({ dataDir, store }, async (loom) => {
    const roots: string[] = [];
    for (const word of words) roots.push((await findPlace(loom, word)).root);
    const report = await scan(loom, roots, call);
    const blocks = [...new Set(report.found.map(({ block }) => block))];
    const isPurge = options.has('purge');
    const isDone = isPurge && options.has('yes') && blocks.length > 0;
    if (isDone) orFail(await loom.call('block.purge', { blocks, confirmed: true }));
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, ...report, purged: isDone ? blocks : [] })}\n`);
      return EXIT.ok;
    }
    terminal.out(describe(report, call));
    if (isDone) terminal.out(`Purged ${count(blocks.length, 'block')}. Backups and exports keep what they have.\n`);
    else if (isPurge && blocks.length > 0) {
      throw new LoomError(
        'not-confirmed',
        `nothing was purged; ${count(blocks.length, 'block')} would be gone for good`,
        {
          advice: 'Add --yes to do it. A key that was in a conversation is best revoked where it was made, too.',
        },
      );
    } else if (blocks.length > 0) {
      const [first = ''] = blocks;
      const each = suggest(`purge ${quoteForShell(first)}`);
      noteOf(terminal, isJson)(`Erase one with ${each}, all with ${suggest('secrets --purge')}\n`);
    }
    return EXIT.ok;
  });
}

async function scan(loom: Loom, roots: string[], call: Call): Promise<SecretReport> {
  const { job } = orFail(await loom.call('secret.scan', roots.length === 0 ? {} : { roots }));
  const { words, result } = await followJob(loom, job, call);
  const report = secretReport().safeParse(result);
  if (report.success) return report.data;
  throw new LoomError('scan-failed', `the search for secrets ended: ${words}`, { advice: 'Start it again.' });
}

const partWords = {
  text: '',
  output: ' of its output',
  file: ' of its file',
  version: ' of an earlier version',
} as const;

function describe(
  { roots, blocks, found, more, unread, skipped, cancelled }: SecretReport,
  { terminal }: Call,
): string {
  const style = styleFor(terminal, 'out');
  const lines: string[] = [];
  let root = '';
  for (const secret of found) {
    if (secret.root !== root) lines.push(`${root === '' ? '' : '\n'}${secret.root}`);
    ({ root } = secret);
    const place = `${secret.block}, line ${secret.line}${partWords[secret.part]}`;
    lines.push(`  ${secret.kind}  ${secret.masked}  ${style.faint(place)}`);
  }
  if (more > 0) lines.push(`and ${count(more, 'secret')} more`);
  const looked = `${count(blocks, 'block')} of ${count(roots, 'conversation')}`;
  lines.push(
    `${found.length === 0 ? '' : '\n'}${found.length === 0 ? 'No secrets' : count(found.length + more, 'secret')} in ${looked}.${cancelled ? ' The rest was not looked through.' : ''}`,
  );
  const unseen = [
    ...(skipped.large === 0 ? [] : [`${count(skipped.large, 'output')} and files above 8 MB`]),
    ...(skipped.binary === 0 ? [] : [`${count(skipped.binary, 'file')} that is not text`]),
    ...(skipped.versions === 0 ? [] : [`old versions of ${count(skipped.versions, 'block')}`]),
  ];
  if (unseen.length > 0) lines.push(`Not looked through: ${unseen.join(', ')}.`);
  if (unread.length > 0) lines.push(`${count(unread.length, 'conversation')} could not be read: ${unread.join(', ')}`);
  return `${lines.join('\n')}\n`;
}
