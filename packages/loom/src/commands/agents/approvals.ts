import { z } from 'zod';
import { parseToolArguments } from '@loom/blocks/legacy';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import { textOption } from '../../chat/answerer.ts';
import { renderAsked, renderRule } from '../../chat/drawing/asked-lines.ts';
import { shorten } from '../../chat/drawing/cards.ts';
import { showControls, type Line } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../../command-line/failure.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { timeAgo } from '../../forest-view/time-ago.ts';
import { createModels } from '../../models/models.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Loom } from '../../runtime/loom.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { withLoom } from '../../runtime/sharing/shared-folder.ts';
import { withPresentData } from '../../runtime/present-data.ts';
import { styleFor } from '../../terminal/style.ts';
import { orFail } from '../../words/refusal-error.ts';

type WaitingCall = ResultOf<'turn.waiting'>['items'][number];

/** `loom approvals`: the calls that wait, then the latest decisions. */
export function listApprovals(call: Call): Promise<ExitCode> {
  const { options, dataDir, store, isJson, terminal } = call;
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withPresentData({ dataDir, store, models, note: noteOf(terminal, isJson) }, async (loom) => {
    const waiting = await findWaiting(loom);
    const limit = Number(textOption(options, 'limit') ?? 20);
    const decided = await findDecided(loom, Number.isInteger(limit) && limit >= 0 ? limit : 20);
    if (isJson) {
      for (const one of waiting) terminal.out(`${JSON.stringify({ state: 'waiting', ...one })}\n`);
      for (const one of decided) terminal.out(`${JSON.stringify({ state: 'decided', ...one })}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    const print = ({ text, tone }: Line): void => {
      const shown = showControls(text);
      terminal.out(`${tone === undefined ? shown : style[tone](shown)}\n`);
    };
    waiting.flatMap(waitingLines).forEach(print);
    decided.map(decidedLine).forEach(print);
    if (waiting.length === 0) terminal.note('Nothing waits for a decision.\n');
    return EXIT.ok;
  });
}

/** `loom approvals allow <node>` */
export function allowCall(call: Call): Promise<ExitCode> {
  const scope = z
    .enum(['once', 'conversation', 'folder', 'anywhere'])
    .safeParse(textOption(call.options, 'for') ?? 'once');
  if (!scope.success) {
    throw new UsageError('bad-option', '--for must be once, conversation, folder or anywhere');
  }
  const mode = z.enum(['ask', 'edit', 'sandbox']).safeParse(textOption(call.options, 'mode')).data;
  const more = { ...(scope.data === 'once' ? {} : { scope: scope.data }), ...(mode === undefined ? {} : { mode }) };
  return decide(call, () => ({ decision: 'approved', ...more }));
}

/** `loom approvals deny <node> [reason]` */
export function denyCall(call: Call): Promise<ExitCode> {
  const text = call.words.slice(1).join(' ');
  return decide(call, () => ({ decision: 'denied', ...(text === '' ? {} : { text }) }));
}

/** `loom approvals answer <node> <answer>` */
export function answerCall(call: Call): Promise<ExitCode> {
  const text = call.words.slice(1).join(' ');
  return decide(call, ({ ask: { questions = [] } }) =>
    questions.length === 1 ? { decision: 'answered', answers: [{ text }] } : { decision: 'answered', text },
  );
}

type Decision = Omit<ParamsOf<'turn.decide'>, 'node' | 'arguments'>;

/** Decides about a call that waits. A turn that no process runs goes on in this one, until it ends or waits again. */
function decide(call: Call, say: (waiting: WaitingCall) => Decision): Promise<ExitCode> {
  const { words, dataDir, store, isJson, terminal } = call;
  const [named = ''] = words;
  const note = noteOf(terminal, isJson);
  const models = createModels({ dataDir, env: terminal.env, clock: systemClock });
  return withLoom({ dataDir, store, models, note }, async (loom) => {
    await models.load();
    const { node } = orFail(await loom.call('id.resolve', { text: named }));
    const waiting = (await findWaiting(loom)).find((one) => one.node === node);
    if (waiting === undefined) {
      throw new LoomError('not-waiting', `${named} does not wait for a decision`, {
        advice: `See what does: ${suggest('approvals')}`,
      });
    }
    const params = { node, arguments: waiting.arguments, ...say(waiting) };
    orFail(await loom.call('turn.decide', params));
    if (isJson) terminal.out(`${JSON.stringify({ node, decision: params.decision })}\n`);
    else note(`${waiting.tool}: ${params.decision}.\n`);
    await settled(loom, waiting.turn, node);
    return EXIT.ok;
  });
}

/** Resolves when this process no longer runs a turn, or the turn waits for the next decision. */
async function settled(loom: Loom, turn: string, decided: string): Promise<void> {
  const over = loom.turnOver(turn).then(() => true);
  const pause = (): Promise<boolean> => new Promise((resolve) => void systemClock.after(100, () => resolve(false)));
  const waits = async (): Promise<boolean> =>
    (await findWaiting(loom)).some((one) => one.turn === turn && one.node !== decided);
  while (!(await waits())) if (await Promise.race([over, pause()])) return;
}

async function findWaiting(loom: Loom): Promise<WaitingCall[]> {
  return orFail(await loom.call('turn.waiting', { limit: 1000 })).items;
}

const decidedCall = z.looseObject({
  root: z.string(),
  node: z.string(),
  tool: z.string(),
  summary: z.string(),
  decision: z.string(),
  by: z.string().optional(),
  at: z.string(),
  scope: z.string().optional(),
});
type DecidedCall = z.infer<typeof decidedCall>;

/** The latest decisions, from the logs. */
async function findDecided(loom: Loom, limit: number): Promise<DecidedCall[]> {
  if (limit === 0) return [];
  const outcome = await loom.call('approval.list', { limit });
  // A host without Loom's tools has no such list.
  if (!outcome.ok && outcome.refusal.reason === 'unknown-operation') return [];
  return z.object({ items: z.array(decidedCall) }).parse(orFail(outcome)).items;
}

function waitingLines({
  root_title: title,
  opening,
  node,
  tool,
  arguments: exact,
  ask,
  directory,
  since,
}: WaitingCall): Line[] {
  const parsed = parseToolArguments(exact);
  const parameters = parsed.ok ? parsed.fields.parameters : { arguments: exact };
  const call = { type: 'tool-use' as const, id: '', name: tool, parameters };
  const place = directory === undefined ? '' : ` in ${directory}`;
  return [
    { text: `${node}  ${timeAgo(Date.parse(since))}${place}  ${shorten(title ?? opening, 40)}`, tone: 'strong' },
    ...renderAsked(call, ask),
    ...(ask.rules ?? []).flatMap(renderRule),
    { text: `  ${suggest(`approvals ${ask.kind === 'ask' ? 'allow' : 'answer'} ${node}`)}`, tone: 'faint' },
  ];
}

function decidedLine({ node, tool, summary, decision, by = '', at, scope = 'once' }: DecidedCall): Line {
  const reach = scope === 'once' ? '' : ` (${scope})`;
  const text = `${timeAgo(Date.parse(at))}  ${decision}${reach}  ${tool}  ${shorten(summary, 60)}  ${by}  ${node}`;
  return { text, ...(decision === 'denied' ? { tone: 'odd' as const } : { tone: 'faint' as const }) };
}
