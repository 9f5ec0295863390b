import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The keys of a browser's subscription, in base64url: its point on P-256, and a secret that it shares with this server alone. */
export interface ReceiverKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** The random parts of a message; tests hand in those of the RFC. */
export interface SealParts {
  /** A private key that is used for this message alone. */
  readonly privateKey?: Buffer;
  readonly salt?: Buffer;
}

/** The size of a record in the header: one holds every message. */
const recordSize = 4096;

/** Encrypts a message so that only the browser that subscribed can read it (RFC 8291). Throws if its keys are none. */
export function sealMessage(text: string, { p256dh, auth }: ReceiverKeys, parts: SealParts = {}): Buffer {
  const { salt = randomBytes(16) } = parts;
  const own = createECDH('prime256v1');
  if (parts.privateKey === undefined) own.generateKeys();
  else own.setPrivateKey(parts.privateKey);
  const [sender, receiver] = [own.getPublicKey(), Buffer.from(p256dh, 'base64url')];
  const shared = own.computeSecret(receiver);
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender]);
  const secret = derive(shared, Buffer.from(auth, 'base64url'), about, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The 2 says that no other record follows.
  const sealed = Buffer.concat([cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordSize);
  return Buffer.concat([salt, size, Buffer.of(sender.length), sender, sealed]);
}

/** Returns true for the text of a point on the curve, which messages can be encrypted for. */
export function isPoint(p256dh: string): boolean {
  try {
    const own = createECDH('prime256v1');
    own.generateKeys();
    own.computeSecret(Buffer.from(p256dh, 'base64url'));
    return true;
  } catch {
    return false;
  }
}

function derive(secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
