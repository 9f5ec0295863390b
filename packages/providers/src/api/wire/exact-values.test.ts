import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ExactValues, mendBody } from './exact-values.ts';

test('[AP2] what stands for a value is replaced by its exact JSON, whatever is said around it', () => {
  const texts = fc.array(fc.oneof(fc.string(), fc.constant('{"loom-exact-value":0}'), fc.constant('[{"stand":"in"}]')));
  const spellings = fc.array(fc.constantFrom('{"n": 1.0}', '{"id":12345678901234567890}', '{"$&": "$1"}', '{}'));
  fc.assert(
    fc.property(texts, spellings, (said, spelled) => {
      const exact = new ExactValues();
      exact.replace([{ stand: 'in' }], '[ "whole" ]');
      const inputs = spelled.map((json) => exact.object(json));
      const body = JSON.stringify({ said, inputs, whole: [{ stand: 'in' }] });
      const expected = `{"said":${JSON.stringify(said)},"inputs":[${spelled.join(',')}],"whole":[ "whole" ]}`;
      assert.equal(mendBody(body, exact.values), expected);
    }),
  );
});

test('[AP2] a request that has lost a placeholder, or holds one twice, is not sent', () => {
  const exact = new ExactValues();
  const stand = exact.object('{}');
  assert.throws(() => mendBody('{}', exact.values), /lost the placeholder/);
  assert.throws(() => mendBody(JSON.stringify([stand, stand]), exact.values), /too often/);
  const whole = new ExactValues();
  whole.replace(['stand-in'], '[]');
  assert.throws(() => mendBody('[["stand-in"],["stand-in"]]', whole.values), /too often/);
});
