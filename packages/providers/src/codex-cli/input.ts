import type { ImageBlock, Message, PlainObject } from '@loom/blocks';
import type { BlobPort, SteeringMessage } from '@loom/kernel';

type Blobs = Pick<BlobPort, 'get'>;
type InputBlock = SteeringMessage['blocks'][number];

/** Returns the messages of people that wait for an answer: those behind the last one of a model or a tool. */
export function waitingBlocks(messages: readonly Message[]): InputBlock[] {
  const last = messages.findLastIndex(({ role }) => role !== 'user');
  return messages.slice(last + 1).flatMap((message) => (message.role === 'user' ? message.content : []));
}

/** Returns the text that the model said last before the messages that wait; `undefined` if a tool or nobody spoke last. */
export function lastAnswer(messages: readonly Message[]): string | undefined {
  const last = messages.findLast(({ role }) => role !== 'user');
  if (last?.role !== 'assistant') return undefined;
  const text = last.content.findLast(({ type }) => type === 'text');
  return text?.type === 'text' ? text.text : undefined;
}

/** Returns blocks in the form in which Codex takes input. Pictures go along; other files are named. */
export async function inputOf(blocks: readonly InputBlock[], blobs: Blobs): Promise<PlainObject[]> {
  const input: PlainObject[] = [];
  for (const block of blocks) {
    if (block.type === 'text') input.push(textInput(block.text));
    else if (block.type === 'image') input.push(await pictureInput(block, blobs));
  }
  return input.length === 0 ? [textInput('')] : input;
}

/** Returns a branch as one text, for an agent that cannot be given it in any other way. */
export function branchAsText(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role !== 'user');
  const said = messages.slice(0, last + 1).flatMap((message) => {
    const texts = message.content.flatMap((block) => {
      if (block.type === 'text') return [block.text];
      return block.type === 'tool-use' ? [`(calls ${block.name} with ${JSON.stringify(block.parameters)})`] : [];
    });
    return texts.length === 0 ? [] : [`${speakers[message.role]}:\n${texts.join('\n')}`];
  });
  return `This conversation began elsewhere. It went like this so far:\n\n${said.join('\n\n')}\n\nGo on with it. The next message is:`;
}

const speakers = { user: 'User', assistant: 'Assistant', tool: 'Result of a tool' } as const;

export function textInput(text: string): PlainObject {
  return { type: 'text', text, text_elements: [] };
}

async function pictureInput(block: ImageBlock, blobs: Blobs): Promise<PlainObject> {
  const name = block.filename ?? block.media_type;
  if (!block.media_type.startsWith('image/')) return textInput(`(a file: ${name})`);
  if (block.url !== undefined) return { type: 'image', url: block.url };
  const bytes = block.blob === undefined ? undefined : await blobs.get(block.blob);
  if (bytes === undefined) return textInput(`(a picture that is missing: ${name})`);
  return { type: 'image', url: `data:${block.media_type};base64,${Buffer.from(bytes).toString('base64')}` };
}
