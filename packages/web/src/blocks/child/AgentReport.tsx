import type { ReactElement } from 'react';
import { Markdown } from '../../markdown/Markdown.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { PlaceLink } from '../../ui/PlaceLink.tsx';

interface AgentReportProps {
  text: string;
  /** The conversation of the sub-agent, if Loom has it. */
  child: string | undefined;
}

/** The report of a sub-agent, in Markdown, with the way to its conversation. */
export function AgentReport({ text, child }: AgentReportProps): ReactElement {
  return (
    <div className="child">
      <Markdown text={text} />
      <p className="child-foot">
        {child !== undefined && (
          <PlaceLink className="text-button" place={{ name: 'conversation', root: child }}>
            Open as a conversation
          </PlaceLink>
        )}
        <CopyText text={text} />
      </p>
    </div>
  );
}
