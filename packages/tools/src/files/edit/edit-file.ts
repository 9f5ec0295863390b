import { z } from 'zod';
import { encodeUtf8 } from '@loom/blocks';
import { refuseUnseen } from '../call-changing-tool.ts';
import type { ChangingCode } from '../file-call.ts';
import { findText } from '../found-file.ts';
import { refusePlaceholders } from '../placeholders.ts';
import { replacePassages } from './passages.ts';

const params = z.strictObject({
  path: z.string().min(1),
  edits: z
    .array(z.strictObject({ old_text: z.string(), new_text: z.string(), replace_all: z.boolean().exactOptional() }))
    .min(1)
    .max(1000),
});

/** The code of the tool `edit`. */
export const editFileCode: ChangingCode<z.infer<typeof params>> = {
  params,
  async plan({ path: asked, edits }, scope) {
    const { file, text } = await findText(scope.folder, asked);
    await refuseUnseen(scope, file);
    for (const { new_text: updated } of edits) refusePlaceholders(updated, text, file.path);
    const after = replacePassages(file.path, text, edits);
    return [{ path: file.path, kind: 'modify', before: file, after: encodeUtf8(after) }];
  },
};
