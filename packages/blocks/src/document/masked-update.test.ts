import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { BlockDocument } from './block-document.ts';
import { maskUpdate } from './masked-update.ts';
import { SeededRandom } from './testing/seeded-random.ts';

test('[DO11] a masked update does the same at the same places and does not tell what was written', () => {
  const random = new SeededRandom(5);
  const words = ['secret', 'x', '\n', 'hush'];
  const [clear, masked] = [new BlockDocument('beginning'), new BlockDocument('█████████')];
  for (let step = 0; step < 300; step += 1) {
    const at = random.below(clear.length + 1);
    const count = Math.min(random.below(4), clear.length - at);
    const insert = words[random.below(words.length)] ?? '';
    const agent = random.below(2) === 0 ? 'ada' : 'bob';
    const client = 7 + random.below(2);
    const { splices, update } = clear.planEdit(client, [{ at, delete: count, insert }]);
    const hidden = update === undefined ? undefined : toBase64(maskUpdate(fromBase64(update)));
    assert.ok(
      !Buffer.from(hidden ?? '', 'base64')
        .toString()
        .includes('secret'),
    );
    clear.applyEdit({ agent, unit: `u${step}`, client, splices, update });
    masked.applyEdit({
      agent,
      unit: `u${step}`,
      client,
      splices: splices.map((splice) => ({ ...splice, insert: '█'.repeat(splice.insert.length) })),
      update: hidden,
    });
    assert.equal(masked.text, '█'.repeat(clear.text.length), `step ${step}`);
  }
});
