import type { Loom } from '../../app/loom.ts';
import { bytes, count } from '../../words/amounts.ts';
import { isWords, typeOfFile } from './attachments.ts';
import type { Attachment } from './attachments.ts';

/** The longest file put into the message as words, in characters; longer ones are kept as files. */
const mostWords = 200_000;
/** The server takes no more in one piece. */
const mostBytes = 50_000_000;

/** Attaches files to the message: text as words, everything else as a file that the server keeps. */
export async function attachFiles(loom: Loom, files: readonly File[]): Promise<void> {
  const { composer, notices } = loom;
  const tooLarge = files.filter(({ size }) => size > mostBytes);
  const wanted = files.filter((file) => !tooLarge.includes(file));
  composer.uploads.update((names) => [...names, ...wanted.map(({ name }) => name)]);
  // All are sent at once; they are attached in the order in which they were given.
  const uploads = wanted.map((file) => asAttachment(loom, file).catch(() => undefined));
  let failed = 0;
  for (const [index, upload] of uploads.entries()) {
    const attached = await upload;
    composer.uploads.update((names) => without(names, wanted[index]?.name ?? ''));
    if (attached === undefined) failed += 1;
    else composer.attach(attached);
  }
  if (failed > 0)
    notices.fail(`${count(failed, 'file')} could not be sent to the server. Attach again when it answers.`);
  else if (tooLarge.length > 0)
    notices.fail(`${tooLarge.map(({ name }) => name).join(', ')}: files may have at most ${bytes(mostBytes)}.`);
}

async function asAttachment({ client }: Loom, file: File): Promise<Attachment> {
  const { name, size } = file;
  const type = typeOfFile(file);
  const id = crypto.randomUUID();
  if (isWords(type) && size <= mostWords) return { kind: 'quote', id, name, text: await file.text() };
  const blob = await client.putBlob(new Uint8Array(await file.arrayBuffer()));
  return { kind: 'file', id, name, type, size, blob };
}

function without(names: readonly string[], name: string): string[] {
  const at = names.indexOf(name);
  return names.filter((_name, index) => index !== at);
}
