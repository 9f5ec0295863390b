import { join, resolve } from 'node:path';
import { nodeDisk } from '@loom/data-folder/files';
import { accessOperations } from '../serve/access-operations.ts';
import { z } from 'zod';
import type { Call } from '../command-line/command.ts';
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { LoomError, UsageError } from '../command-line/failure.ts';
import { suggest } from '../command-line/suggested-command.ts';
import { noteOf } from '../runtime/files-note.ts';
import { findPlaceToShow } from '../runtime/named-place.ts';
import { withReader } from '../runtime/opened-folder.ts';
import { findPlace as findServer } from '../runtime/sharing/held-folder.ts';
import { withLoom } from '../runtime/sharing/shared-folder.ts';
import { openTokensOnce } from '../serve/token-file.ts';
import { count, describeBytes } from '../terminal/progress.ts';
import { styleFor } from '../terminal/style.ts';
import { textOption } from '../texts/number-option.ts';
import { orFail } from '../words/refusal-error.ts';
import { writeNew } from './exchange/export-file.ts';

const preview = z.object({ secrets: z.array(z.object({ kind: z.string(), masked: z.string() })) });
const made = z.object({ id: z.string(), path: z.string(), until: z.number() });
const listed = z.object({
  items: z.array(
    z.looseObject({
      id: z.string(),
      leaf: z.string(),
      title: z.string().optional(),
      whole: z.boolean(),
      replaced: z.boolean(),
      until: z.number(),
      ended: z.boolean(),
    }),
  ),
});
const saved = z.object({ blob: z.string(), name: z.string() });
const revoked = z.object({ revoked: z.boolean() });

/** `loom share create <node>` */
export function createShare(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const days = readDays(textOption(options, 'days'));
  const keepsSecrets = options.has('keep-secrets');
  return withLoom({ dataDir, store, note: noteOf(terminal, isJson) }, async (loom) => {
    const { node: place } = await findPlaceToShow(loom, words[0] ?? '', noteOf(terminal, isJson));
    const what = choicesOf(place, options);
    const { secrets } = preview.parse(orFail(await loom.call('share.preview', what)));
    const { id, path, until } = made.parse(
      orFail(await loom.call('share.create', { ...what, replace_secrets: !keepsSecrets, ...days })),
    );
    const server = await findServer(dataDir);
    const link = server === undefined ? path : `${server.url}${path}`;
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, id, link, until, secrets })}\n`);
      return EXIT.ok;
    }
    terminal.note(describeSecrets(secrets, keepsSecrets));
    terminal.note(`Readable by everyone who has the link, until ${dayOf(until)}. It is shown this once:\n`);
    terminal.out(`${styleFor(terminal, 'out').strong(link)}\n`);
    if (server === undefined) terminal.note(`Put it behind the address that ${suggest('serve')} prints.\n`);
    terminal.note(`To end it: ${suggest(`share revoke ${id}`)}\n`);
    return EXIT.ok;
  });
}

/** `loom share save <node>` */
export function saveShare(call: Call): Promise<ExitCode> {
  const { words, options, dataDir, store, isJson, terminal } = call;
  const keepsSecrets = options.has('keep-secrets');
  const out = textOption(options, 'out');
  return withLoom({ dataDir, store, note: noteOf(terminal, isJson) }, async (loom) => {
    const { node: place } = await findPlaceToShow(loom, words[0] ?? '', noteOf(terminal, isJson));
    const what = choicesOf(place, options);
    const { secrets } = preview.parse(orFail(await loom.call('share.preview', what)));
    const answer = saved.parse(orFail(await loom.call('share.save', { ...what, replace_secrets: !keepsSecrets })));
    const bytes = await loom.getBlob(answer.blob);
    if (bytes === undefined) throw new LoomError('export-lost', 'what was written is gone', { advice: 'Try again.' });
    const file = out === undefined ? undefined : resolve(out.endsWith('/') ? join(out, answer.name) : out);
    if (file !== undefined) await writeNew(file, bytes, false);
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, ...answer, ...(file === undefined ? {} : { file }), secrets })}\n`);
      return EXIT.ok;
    }
    if (file === undefined) terminal.out(new TextDecoder().decode(bytes));
    else terminal.note(`Wrote ${describeBytes(bytes.length)} to ${file}.\n`);
    terminal.note(describeSecrets(secrets, keepsSecrets));
    return EXIT.ok;
  });
}

/** `loom share list` */
export function listShares({ dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const operations = accessOperations(openTokensOnce(nodeDisk, dataDir));
  return withReader({ dataDir, operations, files: false }, async (loom) => {
    const { items } = listed.parse(orFail(await loom.call('share.list', {})));
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, shares: items })}\n`);
      return EXIT.ok;
    }
    const style = styleFor(terminal, 'out');
    for (const { id, leaf, title, whole, replaced, until, ended } of items) {
      const what = `${whole ? 'all branches' : 'one branch'}${replaced ? '' : ', secrets shown'}`;
      const end = `${ended ? 'ended' : 'until'} ${dayOf(until)}`;
      terminal.out(`${style.faint(id)}  ${style.strong(title ?? leaf)}  ${what}, ${end}\n`);
    }
    if (items.length === 0) terminal.note(`There are no links. To make one: ${suggest('share create <node>')}\n`);
    return EXIT.ok;
  });
}

/** `loom share revoke <id>` */
export function revokeShare({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const [id = ''] = words;
  return withLoom({ dataDir, store }, async (loom) => {
    if (!revoked.parse(orFail(await loom.call('share.revoke', { id }))).revoked) {
      throw new LoomError('no-such-share', `there is no link ${JSON.stringify(id)}`, {
        advice: `${suggest('share list')} shows the ids of those that there are.`,
      });
    }
    terminal.out(isJson ? `${JSON.stringify({ ok: true, id })}\n` : `The link ${id} shows nothing any more.\n`);
    return EXIT.ok;
  });
}

function choicesOf(place: string, options: Call['options']) {
  return {
    place,
    whole: options.has('tree'),
    thinking: options.has('thinking'),
    tools: !options.has('no-tools'),
  };
}

function describeSecrets(secrets: readonly { kind: string; masked: string }[], areKept: boolean): string {
  if (secrets.length === 0) return '';
  const names = [...new Set(secrets.map(({ kind, masked }) => `${kind} ${masked}`))];
  const more = names.length > 5 ? [`${names.length - 5} more`] : [];
  const list = [...names.slice(0, 5), ...more].join(', ');
  const found = count(secrets.length, 'secret');
  return areKept ? `${found} shown as they are: ${list}\n` : `${found} replaced by ••••: ${list}\n`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function readDays(given: string | undefined): { days?: number } {
  if (given === undefined) return {};
  const days = Number(given);
  if (given.trim() !== '' && days > 0 && days <= 365) return { days };
  throw new UsageError('bad-option', `--days takes a number of days up to 365, not ${JSON.stringify(given)}`);
}
