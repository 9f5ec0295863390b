import type { ReactElement } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import { usePart } from '../../stores/use-part.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { bytes } from '../../words/amounts.ts';
import type { Attachment } from './attachments.ts';

/** The attachments of the message, each removable. */
export function AttachmentChips(): ReactElement | null {
  const { composer, models } = useLoom();
  const attachments = usePart(composer.draft, (draft) => draft.attachments);
  const uploads = useStore(composer.uploads);
  const { models: answering } = useStore(models.answerers);
  if (attachments.length + uploads.length === 0) return null;
  const blind = attachments.some(isPicture) ? answering.find(({ images }) => images === false) : undefined;
  return (
    <div className="attachments">
      <ul className="attachment-list" aria-label="Attachments">
        {attachments.map((attached) => (
          <li key={attached.id} className="attachment">
            <Icon name={attached.kind === 'quote' ? 'file' : isPicture(attached) ? 'image' : 'file'} />
            <span className="cut">{attached.name}</span>
            <span className="attachment-size">{sizeOf(attached)}</span>
            <button
              type="button"
              className="icon-button icon-button-small"
              aria-label={`Remove ${attached.name}`}
              title={`Remove ${attached.name}`}
              onClick={() => composer.detach(attached.id)}
            >
              <Icon name="close" small />
            </button>
          </li>
        ))}
        {uploads.map((name, index) => (
          <li key={`${name} ${index}`} className="attachment">
            <span className="mark mark-model mark-running" />
            <span className="cut">{name}</span>
          </li>
        ))}
      </ul>
      {blind !== undefined && (
        <p className="attachment-note">{blind.name} cannot see images; it is told their names.</p>
      )}
    </div>
  );
}

function isPicture(attached: Attachment): boolean {
  return attached.kind === 'file' && attached.type.startsWith('image/');
}

function sizeOf(attached: Attachment): string {
  if (attached.kind === 'quote') return bytes(new TextEncoder().encode(attached.text).length);
  return attached.size === undefined ? '' : bytes(attached.size);
}
