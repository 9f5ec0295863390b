import type { Clock, Provider, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { cutScript } from './length-limit.ts';
import { writeScript } from './models.ts';
import { pause } from '../pause.ts';
import { perform } from './performance.ts';
import type { Step } from './performance.ts';
import { readRequest } from './reading.ts';
import { charactersPerToken, measureInput, UsageMeter } from './usage.ts';

/** The inputs of the demo. */
export interface DemoProviderOptions {
  /** Paces the text. Nothing else depends on it. */
  clock: Clock;
}

/** A scripted model that needs neither key nor network: the same request always gives the same events. */
export function createDemoProvider({ clock }: DemoProviderOptions): Provider {
  return { id: 'demo', takesPrefix: () => true, stream: (request, call) => speak(request, call, clock) };
}

async function* speak(request: ProviderRequest, call: ProviderCall, clock: Clock): AsyncIterable<ProviderEvent> {
  for await (const event of answer(request, call, clock)) {
    recordJson(call, 'response', event);
    yield event;
  }
}

/** Returns the body that would go over the wire. */
function wireForm({ model, systemPrompt: system, messages, tools, maxTokens: max_tokens, settings }: ProviderRequest) {
  return { model, system, messages, tools, max_tokens, ...settings };
}

function recordJson(call: ProviderCall, part: 'request' | 'response', value: unknown): void {
  call.record(part, new TextEncoder().encode(`${JSON.stringify(value)}\n`));
}

async function* answer(request: ProviderRequest, call: ProviderCall, clock: Clock): AsyncIterable<ProviderEvent> {
  const { steps, input } = planCall(request, call);
  yield { type: 'call-start' };
  const meter = new UsageMeter();
  try {
    for (const step of steps) {
      for await (const event of 'scene' in step ? playScene(step, call, clock) : playStep(step, call, clock)) {
        meter.count(event);
        if (event.type === 'call-end' || event.type === 'call-error') {
          yield { type: 'usage', usage: meter.report(input) };
        }
        yield event;
      }
    }
  } catch (error) {
    if (!call.signal.aborted) throw error;
    yield { type: 'usage', usage: meter.report(input) };
    yield { type: 'call-error', error: { code: 'stopped', message: 'The answer was stopped before its end.' } };
  }
}

async function* playStep(
  { milliseconds, event }: Extract<Step, { event: ProviderEvent }>,
  { signal }: ProviderCall,
  clock: Clock,
): AsyncIterable<ProviderEvent> {
  await waitFor(clock, milliseconds, signal);
  yield event;
}

async function* playScene(
  { scene, newCallId }: Extract<Step, { newCallId: () => string }>,
  call: ProviderCall,
  clock: Clock,
): AsyncIterable<ProviderEvent> {
  const wait = (milliseconds: number): Promise<void> => waitFor(clock, milliseconds, call.signal);
  for await (const event of scene({ call, newCallId, wait })) {
    // The speed of a model.
    await wait(event.type === 'block-delta' ? 12 : 0);
    yield event;
  }
}

async function waitFor(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (!(await pause(clock, milliseconds, signal))) throw new Error('stopped');
}

/** Works out the whole call before its first word, so that nothing can go wrong in the middle of the text. */
function planCall(
  request: ProviderRequest,
  call: ProviderCall,
): { steps: Step[]; input: ReturnType<typeof measureInput> } {
  try {
    recordJson(call, 'request', wireForm(request));
    const reading = readRequest(request);
    const script = cutScript(writeScript(request.model, reading), (request.maxTokens ?? Infinity) * charactersPerToken);
    return { steps: perform(script, reading), input: measureInput(request) };
  } catch (error) {
    const message = `The demo cannot read this request: ${error instanceof Error ? error.message : String(error)}`;
    const failure: Step = {
      milliseconds: 0,
      event: { type: 'call-error', error: { code: 'invalid-request', message } },
    };
    return { steps: [failure], input: { input_tokens: 0 } };
  }
}
