import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { fromBase64 } from '@loom/blocks';
import type { ImageBlock } from '@loom/blocks';
import { bytes } from '../words/amounts.ts';
import { Icon } from '../ui/Icon.tsx';
import { useBlockHost } from './block-host.ts';
import { safeAddress } from '../markdown/safe-address.ts';
import { saveBlob } from '../ui/save-blob.ts';
import { useFold } from './folding/use-fold.ts';

/** Kinds of pictures that browsers show and that cannot run anything. */
const drawable = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/u;

/** A picture or another file: a thumbnail, its name and size. A file on another server is only a link. */
export function Picture({ id, block }: { id: string; block: ImageBlock }): ReactElement {
  const { media_type: type, filename } = block;
  const [isLarge, toggle] = useFold(`${id} large`);
  const [blob, trouble] = useBlob(block);
  const address = useAddress(drawable.test(type) ? blob : undefined);
  const [size, setSize] = useState('');
  const name = filename ?? (type.startsWith('image/') ? 'Picture' : type);
  const remote = block.url === undefined || block.url.startsWith('data:') ? undefined : block.url;
  if (remote !== undefined) return <RemotePicture address={remote} name={name} />;
  const details = [blob === undefined ? undefined : bytes(blob.size), size === '' ? undefined : size];
  return (
    <figure className={isLarge ? 'picture picture-large' : 'picture'}>
      {address === undefined ? (
        <span className="picture-space">
          <Icon name={type.startsWith('image/') ? 'image' : 'file'} />
        </span>
      ) : (
        <button
          type="button"
          aria-expanded={isLarge}
          aria-label={`${isLarge ? 'Shrink' : 'Enlarge'} ${name}`}
          onClick={toggle}
        >
          <img
            src={address}
            alt={name}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setSize(`${naturalWidth} × ${naturalHeight}`)
            }
          />
        </button>
      )}
      <figcaption>
        {name} <span className="quiet">{trouble ?? details.filter((detail) => detail !== undefined).join(', ')}</span>
        {blob !== undefined && (
          <button type="button" className="text-button" onClick={() => saveBlob(blob, filename ?? 'file')}>
            Save as…
          </button>
        )}
      </figcaption>
    </figure>
  );
}

function RemotePicture({ address, name }: { address: string; name: string }): ReactElement {
  const safe = safeAddress(address);
  return (
    <div className="picture">
      <span className="picture-space">
        <Icon name="image" />
      </span>
      <span>
        {name}{' '}
        {safe === undefined ? (
          <span className="quiet">{address.slice(0, 200)}</span>
        ) : (
          <a href={safe} target="_blank" rel="noopener noreferrer">
            {safe}
          </a>
        )}
      </span>
    </div>
  );
}

function useBlob({ blob: id, url, media_type: type }: ImageBlock): [Blob | undefined, string | undefined] {
  const { readBlob } = useBlockHost();
  const [blob, setBlob] = useState<Blob>();
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    let isHere = true;
    const reading = id === undefined ? decodeData(url ?? '', type) : readBlob(id, type);
    reading.then(
      (read) => isHere && setBlob(read),
      () => isHere && setTrouble('could not be read'),
    );
    return () => {
      isHere = false;
    };
  }, [id, url, type, readBlob]);
  return [blob, trouble];
}

/** The bytes of `data:image/png;base64,…`; the policy of the document lets no such address through. */
async function decodeData(url: string, type: string): Promise<Blob> {
  const [, base64 = ''] = /^data:[^,]*;base64,(.*)$/su.exec(url) ?? [];
  return new Blob([fromBase64(base64)], { type });
}

function useAddress(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return undefined;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return address;
}
