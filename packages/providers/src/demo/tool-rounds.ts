import type { Reading, Result } from './reading.ts';
import { callTools, quote, say } from './script.ts';
import type { PlannedCall, Script } from './script.ts';

/** One round of a plan: the text before the calls, and the calls. */
export interface PlannedRound {
  text: string;
  calls: readonly PlannedCall[];
}

/**
 * Follows the rounds of a plan, one per call of the model, and reports when all results are in. Tools that the request does not offer are not called;
 * empty rounds are skipped.
 */
export function followPlan(
  reading: Reading,
  plan: readonly PlannedRound[],
  report: (results: readonly Result[]) => Script,
): Script {
  const rounds = plan
    .map(({ text, calls }) => ({ text, calls: calls.filter(({ name }) => reading.tools.has(name)) }))
    .filter(({ calls }) => calls.length > 0);
  const next = rounds[reading.rounds];
  if (next !== undefined) return callTools(next.text, next.calls);
  if (rounds.length > 0) return report(reading.results);
  const missing = [...new Set(plan.flatMap(({ calls }) => calls.map(({ name }) => `\`${name}\``)))].join(', ');
  return say(
    `I would use ${missing} now, but I was not offered any such tool in this conversation. ` +
      'Everything that needs no tools works: say **help** for a list.',
  );
}

/** Describes the result of a call in one sentence. */
export function tellResult({ tool, text, outcome }: Result): string {
  switch (outcome) {
    case 'answered':
      return text.trim() === '' ? `\`${tool}\` had nothing to say.` : `\`${tool}\` said ${quoteResult(text)}.`;
    case 'failed':
      return `\`${tool}\` failed: ${quoteResult(text)}. I can go on without it.`;
    case 'denied':
      return `You did not want \`${tool}\` to run, so nothing happened there.`;
    case 'interrupted':
      return `\`${tool}\` was interrupted; I did not start it a second time.`;
  }
}

/** Returns the first line of a result, and the number of further ones. */
function quoteResult(text: string): string {
  const [first = '', ...others] = text.trim().split('\n');
  const more = others.length === 0 ? '' : ` and ${others.length} more ${others.length === 1 ? 'line' : 'lines'}`;
  return `${quote(first.replace(/\.$/u, ''), 120)}${more}`;
}

/** Describes all of them, as a list. */
export function tellResults(results: readonly Result[]): string {
  return results.length === 0
    ? '- No result has reached me.'
    : results.map((result) => `- ${tellResult(result)}`).join('\n');
}
