import type { ReactElement } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';

/** The default model: here, at the command line and in chats. */
export function DefaultModel(): ReactElement {
  const loom = useLoom();
  const { models, usual } = useStore(loom.models.known);
  const usable = models.filter((model) => model.usable);
  const choose = (value: string): void =>
    loom.attempt(async () => {
      await loom.ask('setting.set', { key: 'defaults.model', value });
      await loom.models.refresh();
      loom.notices.tell(`${value} is the default from now on.`);
    });
  return (
    <div className="setting setting-line">
      <div className="grow">
        <h3>Default model</h3>
        <p>Used when no model is chosen, also on the command line.</p>
      </div>
      <select aria-label="Default model" value={usual ?? ''} onChange={(event) => choose(event.target.value)}>
        {usual === undefined && <option value="">None</option>}
        {usable.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  );
}
