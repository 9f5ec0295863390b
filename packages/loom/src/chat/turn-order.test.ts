import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEvent, NodeState } from '@loom/kernel';
import { TurnOrder } from './turn-order.ts';

function started(turn: string): FeedEvent {
  const manner = { provider: 'demo', model: 'demo', settings: {}, tools: [], max_rounds: 1, holder: 'h' };
  return { type: 'turn-started', turn, node: 'n', batch: 'b', ...manner };
}

function node(turn: string): FeedEvent {
  const added: NodeState = {
    id: `node of ${turn}`,
    parent: 'n',
    role: 'assistant',
    blocks: [{ type: 'text', text: '', block_id: `block of ${turn}` }],
    source: { type: 'user' },
    time: 0,
    turn,
    touched: 1,
  };
  return { type: 'node-added', node: added };
}

function words(turn: string, text: string): FeedEvent {
  return { type: 'text-appended', block: `block of ${turn}`, field: 'text', version: 1, text };
}

function ended(turn: string): FeedEvent {
  return { type: 'turn-ended', turn, reason: 'done' };
}

test('[CH42] answers that come side by side are told one after the other, each announced', () => {
  const told: string[] = [];
  const order = new TurnOrder(
    (event) => told.push(event.type === 'text-appended' ? event.text : event.type),
    ({ turn }) => told.push(`<${turn}>`),
  );
  const events = [
    started('a'),
    started('b'),
    started('c'),
    node('b'),
    node('a'),
    words('b', 'two'),
    words('a', 'one'),
    ended('b'),
    words('a', 'one more'),
    node('c'),
    ended('a'),
    words('c', 'three'),
    ended('c'),
  ];
  for (const event of events) order.hear(event);
  assert.equal(
    told.join(' '),
    '<a> turn-started node-added one one more turn-ended ' +
      '<b> turn-started node-added two turn-ended ' +
      '<c> turn-started node-added three turn-ended',
  );
});

test('[CH42] what belongs to no turn is told at once', () => {
  const told: string[] = [];
  const order = new TurnOrder(
    (event) => told.push(event.type),
    () => undefined,
  );
  for (const event of [started('a'), started('b'), { type: 'bookmark', node: 'n', title: null } as const])
    order.hear(event);
  assert.deepEqual(told, ['turn-started', 'bookmark']);
});
