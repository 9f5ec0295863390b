import { useState } from 'react';
import type { ReactElement } from 'react';
import { AskCard } from '../blocks/ask/AskCard.tsx';
import { BlockHostContext } from '../blocks/block-host.ts';
import { calledTool } from '../tray/called-tool.ts';
import { decidedWords, useDeciding } from '../tray/use-deciding.ts';
import type { WaitingCall } from '../tray/waiting-calls.ts';
import type { BoardRow } from './board.ts';

/** The full cards of the calls of a turn that wait; a decided one stays as long as it is unfolded. */
export function Waiting({ row, calls }: { row: BoardRow; calls: readonly WaitingCall[] }): ReactElement {
  const open = calls.filter(({ turn }) => turn === row.turn);
  const [kept, setKept] = useState(open);
  const added = open.filter(({ node }) => !kept.some((call) => call.node === node));
  if (added.length > 0) setKept([...kept, ...added]);
  return (
    <div className="board-asks">
      {kept.map((call) => (
        <OneCall key={call.node} call={call} isOpen={open.some(({ node }) => node === call.node)} />
      ))}
    </div>
  );
}

/** A call that waits, whole: nothing is decided from a line that may be cut. */
function OneCall({ call, isOpen }: { call: WaitingCall; isOpen: boolean }): ReactElement {
  const { host, decided } = useDeciding(call.node, call.directory);
  if (decided !== undefined) return <p role="status">{decidedWords[decided]}</p>;
  if (!isOpen) return <p role="status">Answered elsewhere, or no longer needed</p>;
  return (
    <BlockHostContext value={host}>
      <AskCard call={calledTool(call)} node={call.node} ask={call.ask} isAlone />
    </BlockHostContext>
  );
}
