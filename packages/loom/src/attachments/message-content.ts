import type { SaidContent } from '../chat/conversation.ts';
import { LoomError } from '../command-line/failure.ts';
import type { ChosenModel } from '../models/demo-model.ts';
import type { Models } from '../models/models.ts';
import { placeOf, readAttachment, type Attachment, type AttachmentScope } from './attachment.ts';
import { findMentions, isFileAt } from './mentions.ts';

/** A message with the files that go with it. */
export interface MessageContent {
  content: SaidContent;
  attachments: readonly Attachment[];
}

/**
 * A message with the files that are named, and with those that the person's own words in it name. Files come first: the words are about
 * them.
 */
export async function attachFiles(
  { text, own }: { text: string; own: string },
  named: readonly string[],
  scope: AttachmentScope,
): Promise<MessageContent> {
  const mentioned = findMentions(own, (path) => isFileAt(placeOf(path, scope)));
  const attachments: Attachment[] = [];
  for (const path of new Set([...named, ...mentioned])) attachments.push(await readAttachment(path, scope));
  const [first, ...others] = attachments.map(({ block }) => block);
  if (first === undefined) return { content: text, attachments };
  return { content: [first, ...others, { type: 'text', text }], attachments };
}

/** Refuses attachments that the model is known not to take, before anything is sent. */
export async function refuseUnfit(
  attachments: readonly Attachment[],
  { provider, model, name }: ChosenModel,
  models: Models,
): Promise<void> {
  if (provider === 'demo' || attachments.every(({ block }) => block.type === 'text')) return;
  const facts = (await models.catalogue()).factsOf(provider, model);
  for (const { path, block } of attachments) {
    if (block.type !== 'image') continue;
    const isPicture = block.media_type.startsWith('image/');
    if ((isPicture ? facts.images : facts.files) !== false) continue;
    throw new LoomError('not-taken', `${name} takes no ${isPicture ? 'pictures' : 'PDF files'}, such as ${path}`, {
      advice: 'Choose another model, or leave the file out. Nothing was sent.',
    });
  }
}
