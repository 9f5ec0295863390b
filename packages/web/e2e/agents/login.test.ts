import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPlanEmulator } from '@loom/providers/testing';
import { noBrowser } from '../testing/chromium.ts';
import { openPage } from '../testing/open-page.ts';

test(
  '[WB320] a login with a ChatGPT plan is off, is switched on, waits for the browser, is used and is ended, in the settings',
  { skip: noBrowser },
  async (t) => {
    const service = await startPlanEmulator();
    t.after(() => service.close());
    const { page, served, ask } = await openPage(t, { isAlone: true });
    const settings = ['[providers.chatgpt]', `issuer = "${service.issuer}"`, `baseURL = "${service.api}"`, ''];
    writeFileSync(join(served.dataDir, 'config.toml'), settings.join('\n'));
    await page.goto('/settings/models');
    const section = page.getByRole('region', { name: 'ChatGPT plan' });
    await section.getByText('Off', { exact: true }).waitFor();
    await section.getByText('never against the live service').waitFor();
    assert.equal(await section.getByRole('button').count(), 0, 'nothing else is offered');
    await section.getByRole('switch', { name: 'Log in with ChatGPT plan' }).click();
    await section.getByText('Not logged in').waitFor();
    assert.deepEqual(service.asked, [], 'nothing is sent before it is asked for');
    await section.getByRole('button', { name: 'Continue with ChatGPT' }).click();
    const link = section.getByRole('link', { name: 'Open the login page' });
    await section.getByText('Waiting for the browser').waitFor();
    await section.getByRole('button', { name: 'Cancel' }).click();
    await section.getByText('Not logged in').waitFor();
    await section.getByRole('button', { name: 'Continue with ChatGPT' }).click();
    await link.waitFor();
    const pageOfLogin = (await link.getAttribute('href')) ?? '';
    assert.equal(new URL(pageOfLogin).origin, service.issuer);
    // A browser on another machine: its last address is brought by hand.
    await section.getByLabel('Address that the browser was sent to').fill(await service.returnOf(pageOfLogin));
    await section.getByRole('button', { name: 'Finish' }).click();
    await section.getByText('Logged in', { exact: true }).waitFor();
    await section.getByText('using the plan of jo@example.com').waitFor();
    await section
      .getByRole('switch', { name: /gpt-5\.4/u })
      .first()
      .waitFor();
    await section.getByRole('button', { name: 'Log out' }).click();
    await section.getByText('Not logged in').waitFor();
    assert.equal(service.tokens.refresh.size, 0);
    // The browser on this machine comes back on its own.
    await section.getByRole('button', { name: 'Continue with ChatGPT' }).click();
    await link.waitFor();
    await service.agree((await link.getAttribute('href')) ?? '');
    await section.getByText('Logged in', { exact: true }).waitFor();
    const content = await page.content();
    for (const token of service.tokens.everMade) assert.ok(!content.includes(token));
    await section.getByRole('switch', { name: 'Log in with ChatGPT plan' }).click();
    await section.getByText('Off', { exact: true }).waitFor();
    assert.equal(service.tokens.refresh.size, 0, 'switched off it is ended');
    assert.equal((await ask('login.list', {})).items[0]?.state, 'off');
  },
);
