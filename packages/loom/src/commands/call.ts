import { nodeDisk } from '@loom/data-folder/files';
import { accessOperations } from '../serve/access-operations.ts';
import { kernelOperations, refuseUnknown } from '@loom/kernel';
import type { Operation, Outcome } from '@loom/kernel';
import { showControls } from '../chat/drawing/column.ts';
import { wrapWords } from '../chat/drawing/word-wrap.ts';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { UsageError } from '../command-line/failure.ts';
import { hostOperations } from '../host/host-operations.ts';
import { createModels } from '../models/models.ts';
import { noteOf } from '../runtime/files-note.ts';
import { systemClock } from '../runtime/system-clock.ts';
import type { Loom } from '../runtime/loom.ts';
import { wire, withReader } from '../runtime/opened-folder.ts';
import { withLoom } from '../runtime/sharing/shared-folder.ts';
import { openTokensOnce } from '../serve/token-file.ts';
import { styleFor } from '../terminal/style.ts';
import { screenWidth, type Terminal } from '../terminal/terminal.ts';
import { readText } from '../texts/text-input.ts';
import { orFail } from '../words/refusal-error.ts';

/** `loom call [operation] [json]` */
export async function callAnyOperation(call: Call): Promise<ExitCode> {
  return callOperation(call, []);
}

/** The same with operations beside the kernel's own. */
export async function callOperation(call: Call, added: readonly Operation[]): Promise<ExitCode> {
  const { words, dataDir, store, isJson, terminal } = call;
  const tokens = openTokensOnce(nodeDisk, dataDir);
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  const { toolbox } = wire({ dataDir, models });
  const all = [
    ...kernelOperations,
    ...hostOperations(models),
    ...toolbox.operations,
    ...accessOperations(tokens),
    ...added,
  ];
  const operations = all.filter(({ doors }) => doors.includes('command'));
  const [name, given = '{}'] = words;
  if (name === undefined) return listOperations(operations, call);
  const operation = operations.find((other) => other.name === name);
  if (operation === undefined) return print(refuseUnknown(name, operations), call);
  const params = await readParams(given, terminal);
  if (operation.name.startsWith('turn.')) await models.load();
  const options = { dataDir, store, models, note: noteOf(terminal, isJson) };
  const ask = (loom: Loom): Promise<Outcome<unknown>> => askFor(loom, operation, params);
  return print(
    await (operation.effect === 'reads' && !isOfProcess(operation)
      ? withReader({ ...options, operations: [...accessOperations(tokens), ...added] }, ask)
      : withLoom({ ...options, operations: added, tokens }, ask)),
    call,
  );
}

/** Returns true for an operation about what a process of Loom has running: the one that writes is asked, not the folder. */
function isOfProcess({ name }: Operation): boolean {
  return name.startsWith('process.');
}

async function askFor(loom: Loom, operation: Operation, params: unknown) {
  const outcome = await loom.call(operation.name, params);
  // A turn that was started runs only as long as the process does.
  await loom.idle();
  return outcome;
}

async function readParams(given: string, terminal: Terminal): Promise<unknown> {
  const text = given === '-' ? await readText('-', 'The parameters, as JSON', terminal) : given;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    const advice = `Give a JSON object, in single quotes if it is a word: '{"limit": 3}'.`;
    const what = given === '-' ? 'standard input is' : 'the parameters are';
    throw new UsageError('not-json', `${what} not JSON: ${why}`, { advice, cause });
  }
}

function print(outcome: Outcome<unknown>, { words, isJson, terminal }: Call): ExitCode {
  if (isJson) {
    terminal.out(`${JSON.stringify(outcome)}\n`);
    return outcome.ok ? EXIT.ok : EXIT.failed;
  }
  const [operation = ''] = words;
  const text = `${JSON.stringify(orFail(outcome, { operation }), undefined, 2)}\n`;
  terminal.out(terminal.screen.isOut ? showControls(text) : text);
  return EXIT.ok;
}

function listOperations(operations: readonly Operation[], { isJson, terminal }: Call): ExitCode {
  const style = styleFor(terminal, 'out');
  const width = Math.max(...operations.map(({ name }) => name.length));
  for (const { name, summary, effect, role } of operations) {
    if (isJson) terminal.out(`${JSON.stringify({ name, summary, effect, role })}\n`);
    else {
      const [first = '', ...rest] = wrapWords(summary, screenWidth(terminal) - width - 2);
      terminal.out(`${style.strong(name.padEnd(width))}  ${first}\n`);
      for (const line of rest) terminal.out(`${' '.repeat(width)}  ${line}\n`);
    }
  }
  return EXIT.ok;
}
