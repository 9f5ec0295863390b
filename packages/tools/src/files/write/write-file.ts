import { z } from 'zod';
import { encodeUtf8 } from '@loom/blocks';
import { refuseUnseen } from '../call-changing-tool.ts';
import { ToolMistake } from '../file-call.ts';
import type { ChangingCode } from '../file-call.ts';
import { findFile } from '../found-file.ts';
import { refusePlaceholders } from '../placeholders.ts';
import { textOf } from '../file-scope.ts';

const params = z.strictObject({ path: z.string().min(1), content: z.string() });

/** The code of the tool `write`. */
export const writeFileCode: ChangingCode<z.infer<typeof params>> = {
  params,
  async plan({ path: asked, content }, scope) {
    const { path, file } = await findFile(scope.folder, asked);
    refusePlaceholders(content, (file === undefined ? undefined : textOf(file.bytes)) ?? '', path);
    const after = encodeUtf8(content);
    if (file === undefined) return [{ path, kind: 'add', after }];
    await refuseUnseen(scope, file);
    if (Buffer.from(after).equals(file.bytes)) {
      throw new ToolMistake(`${path} has exactly this content already. Nothing was changed.`);
    }
    return [{ path, kind: 'modify', before: file, after }];
  },
};
