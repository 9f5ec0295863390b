import type { ReactElement } from 'react';
import { ToolSettings } from '../work/tools/ToolSettings.tsx';

/** The tools of models, and the servers that lend them more. */
export function ToolsSection(): ReactElement {
  return (
    <>
      <h2>Tools and servers</h2>
      <p className="settings-note">
        What models in Loom can use. Agents such as Claude Code bring their own tools and are not affected.
      </p>
      <ToolSettings />
    </>
  );
}
