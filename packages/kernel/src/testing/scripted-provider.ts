import type { Provider, ProviderCall, ProviderEvent, ProviderRequest } from '../provider.ts';

/** One call of the model: its events, as a list or as it goes along. */
export type Script = ProviderEvent[] | ((request: ProviderRequest, call: ProviderCall) => AsyncIterable<ProviderEvent>);

/** A provider that says what it is told, call by call, and remembers its requests. */
export class ScriptedProvider implements Provider {
  readonly id = 'scripted';
  readonly requests: ProviderRequest[] = [];
  readonly #scripts: Script[];

  constructor(...scripts: Script[]) {
    this.#scripts = scripts;
  }

  async *stream(request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    this.requests.push(structuredClone(request));
    const script = this.#scripts.shift() ?? say('nothing more to say');
    yield* typeof script === 'function' ? script(request, call) : script;
  }
}

/** A whole answer: one text, delta by delta. */
export function say(...deltas: string[]): ProviderEvent[] {
  return [
    { type: 'call-start' },
    { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } },
    ...deltas.map((text): ProviderEvent => ({ type: 'block-delta', key: 'a', field: 'text', text })),
    { type: 'block-end', key: 'a' },
    { type: 'usage', usage: { input_tokens: 10, output_tokens: 5 } },
    { type: 'call-end', reason: 'stop' },
  ];
}

/** An answer that thinks, says a word and calls tools with these names and argument strings. */
export function call(...calls: [id: string, name: string, text: string][]): ProviderEvent[] {
  return [
    { type: 'call-start' },
    { type: 'block-start', key: 't', message: 'm', role: 'assistant', block: { type: 'thinking', text: '' } },
    { type: 'block-delta', key: 't', field: 'text', text: 'I need a tool.' },
    {
      type: 'block-end',
      key: 't',
      block: { type: 'thinking', text: 'I need a tool.', provider: { scripted: { signature: 'sig' } } },
    },
    ...calls.flatMap(([id, name, text]): ProviderEvent[] => [
      {
        type: 'block-start',
        key: id,
        message: 'm',
        role: 'assistant',
        block: { type: 'tool-use', id, name, parameters: {} },
      },
      { type: 'block-delta', key: id, field: 'arguments', text },
      { type: 'block-end', key: id },
    ]),
    { type: 'usage', usage: { input_tokens: 20, output_tokens: 7 } },
    { type: 'call-end', reason: 'tool-use' },
  ];
}
