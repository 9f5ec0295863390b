import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PresencePort, TextCursor } from '@loom/kernel';
import { VirtualClock } from '@loom/kernel/testing';
import { OtherRooms } from './other-rooms.ts';

/** Rooms of several processes for one conversation, and what each was told. */
class Building {
  readonly clock = new VirtualClock();
  readonly #hearers = new Set<(message: string) => void>();
  /** The messages sent. */
  said = 0;

  open(
    name: string,
    here: string[],
    cursors: TextCursor[] = [],
  ): { room: OtherRooms; told: string[]; die: () => void } {
    const clock = new VirtualClock(this.clock.now());
    this.#clocks.push(clock);
    const told: string[] = [];
    const port: PresencePort = {
      name,
      announce: (message) => {
        this.said += 1;
        for (const hear of this.#hearers) hear(message);
      },
      hear: (listener) => {
        this.#hearers.add(listener);
        return () => this.#hearers.delete(listener);
      },
    };
    const room = new OtherRooms({
      port,
      clock,
      own: () => ({ here, cursors }),
      came: (agent) => told.push(`+${agent}`),
      went: (agent) => told.push(`-${agent}`),
      moved: ({ agent, head }) => told.push(`${agent}@${head}`),
    });
    return { room, told, die: () => clock.stop() };
  }

  readonly #clocks: VirtualClock[] = [];

  async pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      for (const clock of this.#clocks) await clock.advanceAndRest(100);
    }
  }
}

const at = (agent: string, head: number): TextCursor => ({ agent, block: 'root/@a/1', version: 1, anchor: 0, head });

test('[SY170] a room hears who is in those of other processes, whichever of them was opened first', async () => {
  const building = new Building();
  const [here, cursors] = [['ann'], [at('ann', 3)]];
  const first = building.open('one', here, cursors);
  first.room.changed();
  await building.pass(200);
  const second = building.open('two', ['bob']);
  second.room.changed();
  await building.pass(500);
  assert.deepEqual([first.told, second.told], [['+bob'], ['+ann', 'ann@3']]);
  assert.deepEqual([first.room.here, second.room.here, second.room.cursors], [['bob'], ['ann'], cursors]);
  cursors[0] = at('ann', 9);
  here.push('cleo');
  first.room.changed();
  first.room.changed();
  await building.pass(200);
  assert.deepEqual(second.told.splice(0), ['+ann', 'ann@3', '+cleo', 'ann@9']);
  here.shift();
  first.room.changed();
  await building.pass(200);
  assert.deepEqual(second.told, ['-ann']);
});

test('[SY171] those at a process that is killed are gone after 12 seconds, those of one that lives stay', async () => {
  const building = new Building();
  const [killed, living, own] = [
    building.open('one', ['ann']),
    building.open('two', ['bob']),
    building.open('me', ['cleo']),
  ];
  for (const { room } of [killed, living, own]) room.changed();
  await building.pass(1_000);
  assert.deepEqual(own.told.splice(0).toSorted(), ['+ann', '+bob']);
  killed.die();
  await building.pass(5_000);
  assert.deepEqual(own.told, []);
  await building.pass(60_000);
  assert.deepEqual(own.told, ['-ann']);
  assert.deepEqual(own.room.here, ['bob']);
  living.room.close();
  assert.deepEqual(own.told, ['-ann', '-bob'], 'one that is closed says so at once');
});

test('[SY171] an agent at two processes is gone when it has left both, and much that happens at once is told once', async () => {
  const building = new Building();
  const here = ['ann'];
  const [first, second, own] = [
    building.open('one', here),
    building.open('two', ['ann']),
    building.open('me', ['bob']),
  ];
  for (const { room } of [first, second, own]) room.changed();
  await building.pass(1_000);
  here.length = 0;
  first.room.changed();
  await building.pass(200);
  assert.deepEqual(own.told, ['+ann']);
  second.room.close();
  assert.deepEqual(own.told, ['+ann', '-ann']);
  building.said = 0;
  for (let count = 0; count < 500; count += 1) own.room.changed();
  await building.pass(100);
  assert.equal(building.said, 1);
});
