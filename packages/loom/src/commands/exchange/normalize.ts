import type { Tally, TallyCounts } from '@loom/exchange/foreign';
import { isNormalizedKind, normalize, normalizedKinds } from '@loom/exchange/normalizing';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { count } from '../../terminal/progress.ts';
import type { Input, Terminal } from '../../terminal/terminal.ts';

/** `loom normalize <kind>` */
export async function normalizeInput({ words, terminal }: Call): Promise<ExitCode> {
  const [kind = ''] = words;
  if (!isNormalizedKind(kind)) {
    throw new UsageError('unknown-kind', `${JSON.stringify(kind)} is not a kind of history that can be normalized`, {
      advice: `The kinds are ${normalizedKinds.join(', ')}.`,
    });
  }
  if (terminal.input.isTTY === true) {
    throw new UsageError('no-input', 'there is nothing to read: standard input is a keyboard', {
      advice: `Pipe the output of the agent in, or a file: ${suggest(`normalize ${kind}`)} < file.`,
    });
  }
  for await (const message of normalize(kind, bytesOf(terminal.input), (tally) => tell(kind, tally, terminal))) {
    terminal.out(`${JSON.stringify(message)}\n`);
    await terminal.drained?.();
  }
  return EXIT.ok;
}

/** Reports repairs and omissions; input that holds nothing of the kind is a mistake that a pipeline must not pass over. */
function tell(kind: string, { counts, remarks, unknown }: Tally, { note }: Terminal): void {
  if (counts.used === 0) throw nothingFound(kind, counts);
  for (const [remark, times] of remarks) note(`${remark}${times === 1 ? '' : ` (${count(times, 'time')})`}\n`);
  for (const [what, times] of unknown) note(`Left out, because it is not known: ${what} (${count(times, 'line')})\n`);
}

function nothingFound(kind: string, { read, raw }: TallyCounts): LoomError {
  if (read === 0) {
    const advice = `Pipe the output of the agent in, or a file: ${suggest(`normalize ${kind}`)} < file.`;
    return new LoomError('no-input', 'standard input is empty', { advice });
  }
  if (raw === 0) {
    const advice = 'Have the agent print JSON: claude -p --output-format stream-json --verbose, or codex exec --json.';
    return new LoomError('not-json', 'there is no line of JSON in standard input', { advice });
  }
  const advice = `The kinds are ${normalizedKinds.join(', ')}.`;
  return new LoomError('wrong-kind', `nothing in standard input is of the kind ${kind}`, { advice });
}

async function* bytesOf(input: Input): AsyncIterable<Uint8Array> {
  for await (const piece of input) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
