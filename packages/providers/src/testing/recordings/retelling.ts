import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { WireName } from './recording.ts';

/** Returns a whole answer as the events that a server would have streamed for it. */
export function retell(wire: WireName, answer: PlainObject): unknown[] {
  switch (wire) {
    case 'google':
      return [answer];
    case 'anthropic':
      return retellMessage(answer);
    case 'openai-chat':
      return retellCompletion(answer);
    case 'openai-responses':
      return retellResponse(answer);
  }
}

function retellMessage(message: PlainObject): unknown[] {
  const {
    content,
    stop_reason: reason,
    stop_sequence: sequence,
    stop_details: details,
    usage,
    context_management: management,
  } = message;
  const stop = {
    stop_reason: reason,
    stop_sequence: sequence ?? null,
    ...(details === undefined ? {} : { stop_details: details }),
  };
  const { container } = message;
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...listOf(content).flatMap((block, index) => retellBlock(block, index)),
    {
      type: 'message_delta',
      delta: { ...stop, ...(container === undefined ? {} : { container }) },
      usage,
      ...(management === undefined ? {} : { context_management: management }),
    },
    { type: 'message_stop' },
  ];
}

function retellBlock(block: PlainObject, index: number): unknown[] {
  const delta = (content: PlainObject): PlainObject => ({ type: 'content_block_delta', index, delta: content });
  const around = (begun: PlainObject, deltas: PlainObject[]): unknown[] => [
    { type: 'content_block_start', index, content_block: begun },
    ...deltas,
    { type: 'content_block_stop', index },
  ];
  switch (block.type) {
    case 'text': {
      const citations = listOf(block.citations).map((citation) => delta({ type: 'citations_delta', citation }));
      return around({ ...block, text: '', citations: null }, [
        ...citations,
        delta({ type: 'text_delta', text: block.text }),
      ]);
    }
    case 'thinking': {
      const signature =
        block.signature === undefined ? [] : [delta({ type: 'signature_delta', signature: block.signature })];
      const begun = { type: 'thinking', thinking: '', signature: '' };
      return around(begun, [delta({ type: 'thinking_delta', thinking: block.thinking }), ...signature]);
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return around({ ...block, input: {} }, [
        delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }),
      ]);
    default:
      return around(block, []);
  }
}

function retellCompletion(answer: PlainObject): unknown[] {
  const { choices, usage, ...head } = answer;
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const told = listOf(choices).flatMap(({ message, finish_reason: reason, ...choice }) => {
    const calls = isPlainObject(message) ? listOf(message.tool_calls) : [];
    const delta = isPlainObject(message) ? { ...message } : {};
    if (calls.length > 0) delta.tool_calls = calls.map((call, index) => ({ index, ...call }));
    else delete delta.tool_calls;
    return [
      { ...chunk, choices: [{ ...choice, delta, finish_reason: null }] },
      { ...chunk, choices: [{ ...choice, delta: {}, finish_reason: reason }] },
    ];
  });
  return [...told, ...(usage === undefined ? [] : [{ ...chunk, choices: [], usage }])];
}

function retellResponse(response: PlainObject): unknown[] {
  const { output, status } = response;
  const begun = { ...response, output: [], status: 'in_progress' };
  const end = status === 'incomplete' || status === 'failed' ? status : 'completed';
  const events = [
    { type: 'response.created', response: begun },
    ...listOf(output).flatMap((item, index) => retellItem(item, index)),
    { type: `response.${end}`, response },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

function retellItem(item: PlainObject, index: number): PlainObject[] {
  const place = { output_index: index, item_id: item.id };
  return [
    { type: 'response.output_item.added', output_index: index, item: beginItem(item) },
    ...retellInside(item, place),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function beginItem(item: PlainObject): PlainObject {
  const begun: PlainObject = { ...item, ...('status' in item ? { status: 'in_progress' } : {}) };
  if (item.type === 'message' || item.type === 'reasoning')
    Object.assign(begun, 'content' in item ? { content: [] } : {});
  if (item.type === 'reasoning') begun.summary = [];
  if (item.type === 'function_call' || item.type === 'mcp_call') begun.arguments = '';
  if (item.type === 'custom_tool_call') begun.input = '';
  return begun;
}

function retellInside(item: PlainObject, place: PlainObject): PlainObject[] {
  switch (item.type) {
    case 'message':
      return listOf(item.content).flatMap((part, index) => retellContent(part, { ...place, content_index: index }));
    case 'reasoning':
      return [
        ...listOf(item.summary).flatMap(({ text }, index) => {
          const at = { ...place, summary_index: index };
          return [
            { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
            { type: 'response.reasoning_summary_text.delta', ...at, delta: text },
            { type: 'response.reasoning_summary_text.done', ...at, text },
            { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } },
          ];
        }),
        ...listOf(item.content).map(({ text }, index) => {
          return { type: 'response.reasoning_text.delta', ...place, content_index: index, delta: text };
        }),
      ];
    case 'function_call':
      return [
        { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
        { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
      ];
    case 'custom_tool_call':
      return [
        { type: 'response.custom_tool_call_input.delta', ...place, delta: item.input },
        { type: 'response.custom_tool_call_input.done', ...place, input: item.input },
      ];
    default:
      return [];
  }
}

function retellContent(part: PlainObject, place: PlainObject): PlainObject[] {
  const kind = part.type === 'refusal' ? 'refusal' : 'output_text';
  const text = part.type === 'refusal' ? part.refusal : part.text;
  const empty = { ...part, ...(kind === 'refusal' ? { refusal: '' } : { text: '', annotations: [] }) };
  return [
    { type: 'response.content_part.added', ...place, part: empty },
    { type: `response.${kind}.delta`, ...place, delta: text },
    ...listOf(part.annotations).map((annotation, index) => {
      return { type: 'response.output_text.annotation.added', ...place, annotation_index: index, annotation };
    }),
    { type: `response.${kind}.done`, ...place, ...(kind === 'refusal' ? { refusal: text } : { text }) },
    { type: 'response.content_part.done', ...place, part },
  ];
}

function listOf(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
