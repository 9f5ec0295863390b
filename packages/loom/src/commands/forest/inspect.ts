import { layOut } from '@loom/kernel';
import type { ResultOf } from '@loom/kernel';
import { Column, type Line } from '../../chat/drawing/column.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { shortName } from '../../forest-view/node-line.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { findPlaceToShow } from '../../runtime/named-place.ts';
import type { Loom } from '../../runtime/loom.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import { styleFor } from '../../terminal/style.ts';
import { renderDiff } from '../../texts/diff-lines.ts';
import { orFail } from '../../words/refusal-error.ts';
import { suggest } from '../../command-line/suggested-command.ts';

type ModelCall = ResultOf<'call.get'>;

/** `loom inspect <node>`: the request to the model that wrote a node, and its answer. */
export function inspectNode({ words, options, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const note = noteOf(terminal, isJson);
  return withReader({ dataDir, note }, async (loom) => {
    const { node } = await findPlaceToShow(loom, words[0] ?? '', note);
    const column = new Column(terminal.out, styleFor(terminal, 'out'), terminal.screen.isOut);
    if (options.has('diff')) {
      const difference = await compareWithPrevious(loom, node);
      if (isJson) terminal.out(`${JSON.stringify({ ok: true, node, ...difference })}\n`);
      else column.addLines(renderDifference(difference));
      return EXIT.ok;
    }
    const call = orFail(await loom.call('call.get', { node }));
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, node, ...call })}\n`);
    else if (options.has('raw')) terminal.out(rawTextOf(call));
    else column.addLines(renderCall(node, call));
    return EXIT.ok;
  });
}

function rawTextOf({ exchanges }: ModelCall): string {
  return exchanges.flatMap(({ request, response }) => [request, response].map(withBreak)).join('');
}

function withBreak(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function renderCall(node: string, call: ModelCall): Line[] {
  const { exchanges } = call;
  const parts = exchanges.flatMap(({ request, response, cut }, index): Line[] => {
    const which = exchanges.length === 1 ? '' : ` (try ${index + 1} of ${exchanges.length})`;
    return [
      { text: '' },
      { text: `Sent${which}:`, tone: 'strong' },
      ...linesOf(layOut(request)),
      { text: '' },
      { text: `Answered${which}:`, tone: 'strong' },
      ...(response === '' ? [{ text: '(nothing)', tone: 'faint' as const }] : linesOf(layOut(response))),
      ...(cut ? [{ text: '(There was more than is kept.)', tone: 'odd' as const }] : []),
    ];
  });
  return [{ text: titleOf(node, call), tone: 'faint' }, ...remarkOf(call), ...parts];
}

function titleOf(node: string, { provider, model, ended_at }: ModelCall): string {
  const time = ended_at === undefined ? [] : [ended_at.replace('T', ' ').slice(0, 16)];
  return [shortName(node), `${provider}:${model}`, ...time].join(' · ');
}

function remarkOf({ rebuilt }: ModelCall): Line[] {
  const text =
    'What was sent is not kept any more. This is made again from the path as it is now, in the words of Loom.';
  return rebuilt ? [{ text, tone: 'odd' }] : [];
}

function linesOf(text: string): Line[] {
  return text.split('\n').map((line) => ({ text: line }));
}

type Difference = ResultOf<'call.diff'> & { previous: string };

async function compareWithPrevious(loom: Loom, node: string): Promise<Difference> {
  const { previous, ...difference } = orFail(await loom.call('call.diff', { node }));
  if (previous !== undefined) return { previous, ...difference };
  throw new LoomError('no-earlier-call', `no model was called before ${shortName(node)} on its branch`, {
    advice: `What was sent: ${suggest(`inspect ${shortName(node)}`)}`,
  });
}

function renderDifference({ previous, rebuilt, diff }: Difference): Line[] {
  const remark = 'At least one of the two is made again from the path, in the words of Loom.';
  const same = `The same was sent as for ${shortName(previous)}.`;
  return [
    ...(rebuilt ? [{ text: remark, tone: 'odd' as const }] : []),
    ...(diff === '' ? [{ text: same, tone: 'faint' as const }] : renderDiff(diff)),
  ];
}
