import assert from 'node:assert/strict';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Provider, ProviderEvent } from '@loom/kernel';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openWriter } from '../../runtime/opened-folder.ts';
import { styleFor } from '../../terminal/style.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { ForestFolder } from '../../testing/forest-folder.ts';
import { Conversation } from '../conversation.ts';
import { Column } from '../drawing/column.ts';
import { redoFiles, showChanges, showProcesses, undoFiles } from './file-commands.ts';

/** A model that writes one file. */
const writer: Provider = {
  id: 'writer',
  async *stream({ messages }): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    const isFirst = messages.at(-1)?.role === 'user';
    const parameters = { path: 'a.txt', content: 'one\n' };
    yield {
      type: 'block',
      message: 'm',
      role: 'assistant',
      block: isFirst ? { type: 'tool-use', id: 'c', name: 'write', parameters } : { type: 'text', text: 'Done.' },
    };
    yield { type: 'call-end', reason: isFirst ? 'tool-use' : 'stop' };
  },
};

test('[AG26] [CH87] what an answer did to files is shown and taken back, and commands in the background are listed', async (context) => {
  const directory = realpathSync(temporaryDirectory(context));
  const { dataDir } = new ForestFolder(context);
  const loom = await openWriter({ dataDir, files: false, providers: [writer] });
  const { terminal } = fakeTerminal();
  let shown = '';
  const column = new Column(
    (text) => (shown += text),
    styleFor(terminal, 'out'),
    false,
    () => 80,
  );
  const model = { name: 'writer/one', provider: 'writer', model: 'one' };
  const place = { directory, approval_mode: 'edit' as const };
  const conversation = new Conversation(loom, { model, settings: {}, compaction: 'off', place });
  const run = async (command: typeof showChanges, rest = ''): Promise<string> => {
    shown = '';
    await command(rest, conversation, { loom, column });
    return shown;
  };
  try {
    await assert.rejects(run(showChanges), /no model has answered here yet/u);
    await conversation.say('Write it.');
    while (conversation.isBusy) await conversation.changed();
    assert.match(await run(showChanges), /add a\.txt\n(?:.*\n)*\+one\n/u);
    assert.match(await run(showChanges, 'all'), /add a\.txt/u);
    assert.match(await run(undoFiles), /1 file brought back: a\.txt/u);
    assert.equal(existsSync(join(directory, 'a.txt')), false);
    assert.match(await run(showChanges), /It is back as it was before\./u);
    assert.match(await run(undoFiles), /No file was brought back\./u);
    assert.match(await run(redoFiles), /1 file changed again: a\.txt/u);
    assert.equal(existsSync(join(directory, 'a.txt')), true);
    assert.match(await run(redoFiles, 'a.txt'), /a\.txt was not undone/u);
    assert.match(await run(showProcesses), /No command runs in the background\./u);
    await assert.rejects(run(showProcesses, 'halt 1'), /stop and an id/u);
  } finally {
    conversation.close();
    await loom.close();
  }
});
