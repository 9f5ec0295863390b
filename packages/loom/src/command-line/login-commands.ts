import type { Command } from './command.ts';

const provider = { name: 'provider', summary: 'whose plan; chatgpt is the only one', isOptional: true };

/** The commands for logins that stand in for a key. */
export const loginCommands: Command[] = [
  {
    name: 'login',
    synonyms: ['signin', 'sign-in'],
    summary: 'Log in with a ChatGPT plan, in place of a key',
    description: `Off until the setting providers.chatgpt.plan is true. Prints the page of OpenAI
on which you log in, and waits for your browser to come back. Its models are
then named chatgpt/<model>, and your plan pays for them.

Written from OpenAI's public documentation and tried against an emulator of it,
never against the live service.`,
    parameters: [provider],
    examples: [{ line: 'loom login chatgpt' }, { line: 'loom models chatgpt', meaning: 'what your plan has' }],
    load: async () => (await import('../commands/login.ts')).logIn,
  },
  {
    name: 'logout',
    synonyms: ['signout', 'sign-out'],
    summary: 'Log out of a plan: its tokens are taken back',
    parameters: [provider],
    examples: [{ line: 'loom logout chatgpt' }],
    load: async () => (await import('../commands/login.ts')).logOut,
  },
];
