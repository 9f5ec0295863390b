import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PushSwitch } from './push-switch.ts';
import type { PushBrowser, PushServer } from './push-switch.ts';

const ownKey = Buffer.from('key of this server').toString('base64url');

/** A browser and a server that note what was asked of them. */
class Scene {
  readonly done: string[] = [];
  permission: NotificationPermission = 'default';
  answer: NotificationPermission = 'granted';
  hindrance: string | undefined;
  hasPush = true;
  subscribedWith: string | undefined;

  get push(): PushSwitch {
    return new PushSwitch(this.#server, this.#browser);
  }

  get #server(): PushServer {
    return {
      hindrance: async () => this.hindrance,
      key: async () => ownKey,
      subscribe: async ({ endpoint, p256dh, auth }) => {
        this.done.push(`told ${endpoint} ${p256dh} ${auth}`);
        return 'id-1';
      },
      remove: async (id) => this.done.push(`removed ${id}`),
    };
  }

  get #browser(): PushBrowser {
    return {
      manager: async () =>
        this.hasPush
          ? {
              getSubscription: async () => (this.subscribedWith === undefined ? null : this.#subscription),
              subscribe: async ({ applicationServerKey, userVisibleOnly } = {}) => {
                assert.equal(userVisibleOnly, true);
                assert.ok(applicationServerKey instanceof Uint8Array);
                this.subscribedWith = Buffer.from(applicationServerKey).toString('base64url');
                return this.#subscription;
              },
            }
          : undefined,
      permission: () => this.permission,
      askPermission: async () => (this.permission = this.answer),
    };
  }

  get #subscription(): PushSubscription {
    const key = Uint8Array.from(Buffer.from(this.subscribedWith ?? '', 'base64url')).buffer;
    return {
      endpoint: 'https://push.example/1',
      expirationTime: null,
      options: { applicationServerKey: key, userVisibleOnly: true },
      getKey: () => null,
      toJSON: () => ({ endpoint: 'https://push.example/1', keys: { p256dh: 'point', auth: 'secret' } }),
      unsubscribe: async () => {
        this.subscribedWith = undefined;
        this.done.push('unsubscribed');
        return true;
      },
    };
  }
}

test('[WB711] push is impossible with a reason, blocked, off or on, and goes on and off with the server', async () => {
  const scene = new Scene();
  scene.hindrance = 'no https';
  assert.deepEqual(await scene.push.look(), { is: 'impossible', why: 'no https' });
  scene.hindrance = undefined;
  scene.hasPush = false;
  assert.equal((await scene.push.look()).is, 'impossible');
  scene.hasPush = true;
  assert.deepEqual(await scene.push.look(), { is: 'off' });
  scene.answer = 'denied';
  assert.deepEqual(await scene.push.turnOn(), { is: 'blocked' });
  assert.deepEqual(await scene.push.look(), { is: 'blocked' });
  assert.deepEqual(scene.done, []);
  scene.answer = 'granted';
  assert.deepEqual(await scene.push.turnOn(), { is: 'on', id: 'id-1' });
  assert.equal(scene.subscribedWith, ownKey);
  // The server may have forgotten it: it is told again.
  assert.deepEqual(await scene.push.look(), { is: 'on', id: 'id-1' });
  assert.deepEqual(scene.done.splice(0), Array(2).fill('told https://push.example/1 point secret'));
  assert.deepEqual(await scene.push.turnOff('id-1'), { is: 'off' });
  assert.deepEqual(scene.done, ['removed id-1', 'unsubscribed']);
});

test('[WB711] a subscription with the key of another server is ended, since nothing could be sent to it', async () => {
  const scene = new Scene();
  scene.permission = 'granted';
  scene.subscribedWith = Buffer.from('key of another server').toString('base64url');
  assert.deepEqual(await scene.push.look(), { is: 'off' });
  assert.deepEqual(scene.done, ['unsubscribed']);
});
