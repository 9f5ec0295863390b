import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextWith, runTool, testToolContract } from '@loom/providers/testing';
import { currentDate } from './current-date.ts';

const at = Date.UTC(2026, 10, 18, 13, 3, 9);
const clock = { now: () => at, after: () => () => {} };

testToolContract('current_date', () => currentDate(clock), { samples: [{}], isHarmless: true });

test('[AG1] the date names the weekday and the offset, so that it can be read back as the same moment', async () => {
  const invocation = { id: 'c', name: 'current_date', parameters: {}, arguments: '{}' };
  const { content } = await runTool(currentDate(clock), invocation, contextWith(new AbortController().signal));
  const [block] = content;
  assert.ok(block?.type === 'text');
  const [, day, time, offset, weekday] = /^(\S+) (\S+) (\S+) \(.+\), (\w+)$/u.exec(block.text) ?? [];
  assert.equal(Date.parse(`${day}T${time}${offset}`), at);
  assert.match(weekday ?? '', /^(?:Tues|Wednes|Thurs)day$/u);
});
