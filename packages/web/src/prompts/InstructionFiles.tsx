import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { z } from 'zod';
import { useHome } from '../blocks/ask/use-home.ts';
import { FilePath } from '../blocks/paths/FilePath.tsx';
import { useAnswer } from '../ui/use-answer.ts';
import { useWorkHost } from '../work/work-host.ts';

const instructions = z.object({ files: z.array(z.object({ path: z.string(), text: z.string(), cut: z.boolean() })) });

interface InstructionFilesProps {
  folder: string;
  /** True if the conversation tells models of them. */
  areShown: boolean;
}

/** The AGENTS.md or CLAUDE.md files of a folder, to be read. */
export function InstructionFiles({ folder, areShown }: InstructionFilesProps): ReactElement | null {
  const { ask } = useWorkHost();
  const home = useHome();
  const read = useCallback(
    async () => instructions.parse(await ask('instructions.get', { directory: folder })).files,
    [ask, folder],
  );
  // Others than owners may not look into folders.
  const { value: files = [] } = useAnswer(read);
  if (files.length === 0) return null;
  return (
    <section className="instruction-files" aria-label="Instructions of the folder">
      <h3>
        Instructions of the folder <span className="chip">read only</span>
      </h3>
      <p className="prompt-note">
        {areShown
          ? 'Models with tools are told these, too. The list of tools has the switch.'
          : 'This conversation does not tell models of them. The list of tools has the switch.'}
      </p>
      {files.map(({ path, text, cut }) => (
        <details key={path}>
          <summary>
            <FilePath path={path} home={home} />
          </summary>
          <pre tabIndex={0} aria-label={path}>
            {text}
            {cut && '\n…'}
          </pre>
        </details>
      ))}
    </section>
  );
}
