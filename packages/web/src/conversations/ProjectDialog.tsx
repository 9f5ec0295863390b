import { useState } from 'react';
import type { ReactElement } from 'react';
import { splitPath } from '@loom/blocks';
import type { ResultOf } from '@loom/kernel';
import { z } from 'zod';
import { modelPage } from '../models/model-answers.ts';
import { useHomeChanges } from '../stores/use-home-changes.ts';
import { useAsked } from '../stores/use-asked.ts';
import { Modal } from '../ui/floating/Modal.tsx';
import { Switch } from '../ui/Switch.tsx';
import { useWorkHost } from '../work/work-host.ts';
import './project-settings.css';

interface ProjectDialogProps {
  /** Its id. */
  project: string;
  name: string;
  onClose: () => void;
}

/** The beginning of the keys of settings in the home of a project. */
const settingKeys = 'settings/';

type Config = ResultOf<'project.get'>['config'];

/** The settings that conversations which begin in a project inherit. What is changed takes effect at once. */
export function ProjectDialog({ project, name, onClose }: ProjectDialogProps): ReactElement {
  const { ask, call, attempt } = useWorkHost();
  const { value: found, failure } = useAsked(project, () => call('project.get', { project }));
  const [changed, setChanged] = useState<Config>();
  const config = changed ?? found?.config;
  useHomeChanges(settingKeys, () => {
    // The settings on display stay until the server is back.
    void call('project.get', { project }).then(
      (now) => setChanged(now.config),
      () => {},
    );
  });
  const { value: models = [] } = useAsked(project, async () => {
    const { items } = modelPage.parse(await ask('model.list', { usable: true, live: false, limit: 5000 }));
    return items.map((model) => model.name);
  });
  const change = (key: keyof Config, to: string | boolean | null): void =>
    attempt(async () => {
      const { config: now } = await call('root.configure', { project, config: { [key]: to } });
      const { model, instructions } = { ...settings.parse(now) };
      setChanged({
        ...(model === undefined ? {} : { model }),
        ...(instructions === undefined ? {} : { instructions }),
      });
    });
  const label = `Settings of ${name}`;
  const { model = '', instructions = true } = config ?? {};
  const names = model === '' || models.includes(model) ? models : [model, ...models];
  return (
    <Modal label={label} onClose={onClose}>
      <div className="dialog-body project-settings">
        <h2>{label}</h2>
        <p className="project-about">{found?.directory ?? project}</p>
        {failure !== undefined && <p role="alert">{failure}</p>}
        {config !== undefined && (
          <>
            <div className="setting setting-line">
              <div className="grow">
                <h3>Default model</h3>
                <p>New conversations here begin with it.</p>
              </div>
              <select
                aria-label="Default model"
                value={model}
                onChange={({ target }) => change('model', target.value === '' ? null : target.value)}
              >
                <option value="">The one used last</option>
                {names.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </div>
            <div className="setting setting-line">
              <div className="grow">
                <h3>Instructions</h3>
                <p>Models read the AGENTS.md or CLAUDE.md of the folder.</p>
              </div>
              <Switch
                label="Instructions"
                isOn={instructions}
                onChange={(isOn) => change('instructions', isOn ? null : false)}
              />
            </div>
            {found?.directory !== undefined && <InstructionFiles directory={found.directory} />}
          </>
        )}
        <div className="dialog-buttons">
          <button type="button" className="button button-primary" data-safe onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Modal>
  );
}

const settings = z.object({ model: z.string().exactOptional(), instructions: z.boolean().exactOptional() });

const instructionFiles = z.object({
  files: z.array(z.object({ path: z.string(), text: z.string(), cut: z.boolean() })),
});

/** The files of instructions in the folder, as models read them. */
function InstructionFiles({ directory }: { directory: string }): ReactElement | null {
  const { ask } = useWorkHost();
  const { value, isAsking } = useAsked(directory, async () =>
    // The folder may be gone, or of another machine.
    instructionFiles.parse(await ask('instructions.get', { directory }).catch(() => ({ files: [] }))),
  );
  if (isAsking || value === undefined) return null;
  if (value.files.length === 0) return <p className="project-about">The folder has no AGENTS.md and no CLAUDE.md.</p>;
  return (
    <>
      {value.files.map(({ path, text, cut }) => (
        <details key={path} className="project-file">
          <summary title={path}>{splitPath(path).name}</summary>
          <pre tabIndex={0} aria-label={path}>
            {text}
            {cut && '\n…'}
          </pre>
        </details>
      ))}
    </>
  );
}
