import { chooseAnswerer, textOption } from '../../chat/answerer.ts';
import { Conversation } from '../../chat/conversation.ts';
import { readFolderChoice } from '../../chat/folder-choice.ts';
import { runOnce } from '../../chat/one-shot.ts';
import { attachFiles, refuseUnfit } from '../../attachments/message-content.ts';
import type { Call } from '../../command-line/command.ts';
import type { ExitCode } from '../../command-line/exit-codes.ts';
import { suggest } from '../../command-line/suggested-command.ts';
import { UsageError } from '../../command-line/failure.ts';
import { noteOf } from '../../runtime/files-note.ts';
import { withLoom } from '../../runtime/sharing/shared-folder.ts';
import { readPrompt } from '../chat.ts';

/** `loom run` */
export async function runTask(call: Call): Promise<ExitCode> {
  const { options, repeated, dataDir, store, isJson, terminal } = call;
  const place = readFolderChoice(options, process.cwd());
  const cost = readCost(textOption(options, 'max-cost'));
  const { models, systemPrompt, answersRemark: _remark, settings, ...answerer } = await chooseAnswerer(call);
  const prompt = await readPrompt(call);
  if (prompt === undefined) {
    throw new UsageError('missing-argument', 'loom run needs a task', {
      advice: `Say it, or pipe it in: ${suggest('run -')}`,
    });
  }
  const note = noteOf(terminal, isJson);
  return withLoom({ dataDir, store, models, note }, async (loom) => {
    const limited = cost === undefined ? settings : { ...settings, max_cost_usd: cost };
    const start = { ...answerer, others: [], answers: 1, settings: limited, systemPrompt, place };
    const conversation = new Conversation(loom, start);
    try {
      const putBlob = (bytes: Uint8Array): Promise<string> => loom.putBlob(bytes);
      const scope = { directory: process.cwd(), env: terminal.env, putBlob };
      const { content, attachments } = await attachFiles(prompt, repeated.get('attach') ?? [], scope);
      await refuseUnfit(attachments, conversation.model, models);
      return await runOnce(conversation, content, { terminal, isJson });
    } finally {
      conversation.close();
    }
  });
}

function readCost(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const cost = Number(given.replace(/^\$/u, ''));
  if (Number.isFinite(cost) && cost > 0) return cost;
  throw new UsageError('bad-option', `--max-cost must be an amount in dollars, not ${JSON.stringify(given)}`, {
    advice: 'Such as 0.50.',
  });
}
