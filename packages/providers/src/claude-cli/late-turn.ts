import type { ProviderCall, ProviderEvent } from '@loom/kernel';
import { AskedCalls } from './asked-calls.ts';
import type { ClaudeProcess } from './claude-process.ts';
import type { LateAgent } from './late-agents.ts';
import { LiveEvents } from './live-events.ts';

/** Streams the events of a turn in which a sub-agent goes on, behind that of the agent that has sent it out: in its own conversation. */
export async function* lateTurn(
  process: Pick<ClaudeProcess, 'answer' | 'forget' | 'goOn'>,
  agent: LateAgent,
  call: ProviderCall,
): AsyncGenerator<ProviderEvent, void> {
  const live = new LiveEvents({ isLate: true });
  const asked = new AskedCalls(process, call);
  const { signal } = call;
  const stop = (): void => process.forget(agent);
  signal.addEventListener('abort', stop);
  try {
    yield { type: 'call-start' };
    for await (const next of agent.queue) {
      if (next.type === 'ended') {
        yield* live.finish();
        const message = 'Claude Code ended before its sub-agent had.';
        yield { type: 'call-error', error: { code: 'failed', message } };
        return;
      }
      if (next.type !== 'fact') continue;
      const { fact } = next;
      if (fact.type === 'question') void asked.ask(fact.question, fact.question.call);
      else if (fact.type === 'task-ended') break;
      else yield* live.take(fact);
    }
    yield* live.finish();
    if (signal.aborted) yield { type: 'call-error', error: { code: 'stopped', message: 'It was told to stop.' } };
    else yield { type: 'call-end', reason: 'stop' };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
