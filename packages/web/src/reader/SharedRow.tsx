import { memo } from 'react';
import type { ReactElement } from 'react';
import { BlockView } from '../blocks/BlockView.tsx';
import { ToolCardView } from '../blocks/tools/ToolCardView.tsx';
import { ToolGroupView } from '../blocks/tools/ToolGroup.tsx';
import { countBelow, siblingsOf } from '../conversation/branches.ts';
import type { Row, ToolRow } from '../conversation/rows.ts';
import { markOf, nameOf } from '../conversation/who.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { dayName, messageTime } from '../words/times.ts';
import { sourcesIn } from './shared-branch.ts';
import type { SharedBranch } from './shared-branch.ts';

interface SharedRowProps {
  row: Row;
  branch: SharedBranch;
  /** Shows the branch that goes through a message. */
  onShow: (node: string) => void;
}

/** A row of a shared conversation: the same as in the timeline, without anything to do. */
export const SharedRow = memo(function SharedRow({ row, branch, onShow }: SharedRowProps): ReactElement | null {
  switch (row.kind) {
    case 'header':
      return <SharedHeader node={row.node} branch={branch} onShow={onShow} />;
    case 'block': {
      const { block: id, node, type, said, cites } = row;
      const block = branch.blocks.get(id);
      if (block === undefined) return null;
      const isExplained = branch.nodes.get(node)?.blocks.some((one) => one.type === 'error' && one !== block);
      const view = (
        <BlockView
          block={block}
          node={node}
          sources={sourcesIn(branch.nodes.get(cites ?? ''))}
          isExplained={isExplained === true}
        />
      );
      if (said !== undefined) {
        return (
          <div className={`row row-said-${said}`}>
            <div className={`said said-${said}`}>{view}</div>
          </div>
        );
      }
      return <div className={type === 'text' || type === 'error' ? 'row row-prose' : 'row row-tool'}>{view}</div>;
    }
    case 'tool':
      return (
        <div className="row row-tool">
          <SharedCall row={row} branch={branch} />
        </div>
      );
    case 'tools': {
      const calls = row.calls.map(({ name, block: id, result }) => {
        const call = branch.blocks.get(id);
        const parameters = call?.type === 'tool-use' ? call.parameters : {};
        return { call: { name, parameters }, result: branch.nodes.get(result ?? '') };
      });
      return (
        <div className="row row-tool">
          <ToolGroupView row={row} calls={calls}>
            {() => row.calls.map((call) => <SharedCall key={call.key} row={call} branch={branch} />)}
          </ToolGroupView>
        </div>
      );
    }
    case 'day':
      return <div className="day-line">{dayName(row.time, Date.now())}</div>;
    case 'fork':
      return <SharedFork node={row.node} next={row.next} branch={branch} onShow={onShow} />;
    // A copy has nothing of these.
    case 'hidden':
    case 'notice':
    case 'context-start':
    case 'turn-end':
    case 'loading':
      return null;
  }
});

function SharedCall({ row, branch }: { row: ToolRow; branch: SharedBranch }): ReactElement | null {
  const call = branch.blocks.get(row.block);
  if (call?.type !== 'tool-use') return null;
  return <ToolCardView call={call} result={branch.nodes.get(row.result ?? '')} isLive={false} />;
}

type HeaderProps = Pick<SharedRowProps, 'branch' | 'onShow'> & { node: string };

function SharedHeader({ node: id, branch, onShow }: HeaderProps): ReactElement | null {
  const node = branch.nodes.get(id);
  if (node === undefined) return null;
  const { all, at } = siblingsOf(branch.shape, id);
  const step = (to: number, label: string, icon: 'left' | 'right'): ReactElement => {
    const other = all[to];
    return (
      <button
        type="button"
        aria-label={label}
        disabled={other === undefined}
        onClick={() => other !== undefined && onShow(other)}
      >
        <Icon name={icon} small />
      </button>
    );
  };
  return (
    <header className="message-header">
      <span className={`mark ${markOf(node)}`} />
      {/* The copy does not tell whose message it is. */}
      <strong className="cut">{node.role === 'user' ? 'Person' : nameOf(node)}</strong>
      {all.length > 1 && (
        <span className="siblings">
          {step(at - 1, 'Previous version of this message', 'left')}
          <span>
            {at + 1}/{all.length}
          </span>
          {step(at + 1, 'Next version of this message', 'right')}
        </span>
      )}
      <time dateTime={new Date(node.time).toISOString()}>{messageTime(node.time, Date.now())}</time>
    </header>
  );
}

function SharedFork({ node, next, branch, onShow }: HeaderProps & { next: string | undefined }): ReactElement | null {
  const others = (branch.shape.children.get(node) ?? []).filter((id) => id !== next);
  const [other] = others.slice(-1);
  if (other === undefined) return null;
  const messages = others.reduce((sum, id) => sum + countBelow(branch.shape, id), 0);
  return (
    <div className="fork-note">
      <Icon name="fork" />
      <span>
        {count(messages, 'message')} on {count(others.length, 'other branch', 'other branches')}
      </span>
      <button type="button" className="text-button" onClick={() => onShow(other)}>
        {others.length === 1 ? 'Show it' : 'Show the latest'}
      </button>
    </div>
  );
}
