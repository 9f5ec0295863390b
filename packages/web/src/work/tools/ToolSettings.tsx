import { useCallback, useEffect } from 'react';
import type { ReactElement } from 'react';
import { toolList } from '../../models/model-answers.ts';
import { useAnswer } from '../../ui/use-answer.ts';
import { Switch } from '../../ui/Switch.tsx';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';
import { builtInTools } from './built-in-tools.ts';
import type { BuiltIn } from './built-in-tools.ts';
import { serverList } from './server-answers.ts';
import { ServerRow } from './ServerRow.tsx';
import './tool-settings.css';

/** The time until servers that change on their own are asked about again, in milliseconds. */
const nextLook = 1_500;

/** The tools that models can use in all conversations. Only owners see them. */
export function ToolSettings(): ReactElement | null {
  const maySee = useMay('mcp.list');
  if (maySee === undefined) return null;
  return maySee ? <AllTools /> : <p className="settings-note">Only an owner of this Loom sees and changes these.</p>;
}

/** Loom's own tools by groups, and the servers with theirs. */
function AllTools(): ReactElement {
  const { ask, attempt, tools } = useWorkHost();
  const read = useCallback(async () => {
    // The servers first: asking about tools waits for those that are starting.
    const servers = serverList.parse(await ask('mcp.list', {})).items;
    return { servers, tools: toolList.parse(await ask('tool.list', { limit: 1000 })).items };
  }, [ask]);
  const { value, failure, again } = useAnswer(read);
  const isMoving = value?.servers.some(({ state }) => state === 'starting' || state === 'failed') === true;
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setTimeout(again, nextLook);
    return () => clearTimeout(timer);
  });
  const change = (work: () => Promise<unknown>): void =>
    attempt(async () => {
      try {
        await work();
      } finally {
        again();
        tools.refresh();
      }
    });
  const toggle = (names: readonly string[], on: boolean): void => change(() => ask('tool.switch', { names, on }));
  return (
    <>
      {failure !== undefined && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {value !== undefined && (
        <>
          <h3 className="tool-settings-head">Built in</h3>
          <ul className="built-in">
            {builtInTools(value.tools).map((group) => (
              <BuiltInRow key={group.name} group={group} onToggle={toggle} />
            ))}
          </ul>
          <h3 className="tool-settings-head">Servers</h3>
          <p className="quiet">
            They use the Model Context Protocol, and run with your own rights, outside of the sandbox. Descriptions of
            their tools come from them and may be wrong.
          </p>
          <div className="servers">
            {value.servers.map((server) => (
              <ServerRow key={server.name} server={server} onToggle={toggle} onChange={change} />
            ))}
          </div>
          <AddServer isOpen={value.servers.length === 0} />
        </>
      )}
    </>
  );
}

interface BuiltInRowProps {
  group: BuiltIn;
  onToggle: (names: readonly string[], on: boolean) => void;
}

function BuiltInRow({ group: { name, names, asks, isOn }, onToggle }: BuiltInRowProps): ReactElement {
  return (
    <li>
      <span className="built-in-name">{name}</span>
      <span className="built-in-tools cut" title={names.join(', ')}>
        {names.join(', ')}
      </span>
      <span className="built-in-asks">{asks}</span>
      <Switch label={name} isOn={isOn} onChange={(on) => onToggle(names, on)} />
    </li>
  );
}

/** The way to add a server: not a form, because no page can say which programs this computer starts. */
function AddServer({ isOpen }: { isOpen: boolean }): ReactElement {
  return (
    <details className="add-server" open={isOpen}>
      <summary>Add a server</summary>
      <p>
        A server is a program that runs on this computer with your rights, so it is added at the command line, and
        nowhere else:
      </p>
      <pre tabIndex={0} aria-label="Commands that add a server">
        {`loom config set mcp_servers.files.command npx
loom config set mcp_servers.files.args '["-y", "@example/mcp-files"]'
loom config set mcp_servers.files.env.FILES_KEY …`}
      </pre>
      <p>One that runs elsewhere is reached at its address:</p>
      <pre tabIndex={0} aria-label="Commands that add a server at an address">
        {`loom config set mcp_servers.web.url https://mcp.example.org/mcp
loom config set mcp_servers.web.headers.Authorization "Bearer …"`}
      </pre>
    </details>
  );
}
