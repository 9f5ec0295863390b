/** A text with one secret in it. The secrets are made up, and put together here: no scanner of a host trips over this file. */
export interface SecretSample {
  readonly text: string;
  readonly secret: string;
  readonly kind?: string;
}

/** Random signs, the same in every run. */
class Signs {
  #state = 20_261_118;

  pick(alphabet: string): string {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet.charAt(Math.floor((this.#state / 2 ** 32) * alphabet.length));
  }

  of(alphabet: string, length: number): string {
    return Array.from({ length }, () => this.pick(alphabet)).join('');
  }
}

const digits = '0123456789';
const hex = `${digits}abcdef`;
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const letters = `${capitals}${capitals.toLowerCase()}${digits}`;

/** Beginnings, alphabets and lengths as the services document them; `~` is taken out. */
const shapes: readonly (readonly [kind: string, make: (signs: Signs) => string])[] = [
  ['Anthropic key', (s) => `sk-ant-~api03-${s.of(letters, 93)}-AA`],
  ['Anthropic key', (s) => `sk-ant-~oat01-${s.of(letters, 90)}`],
  ['OpenRouter key', (s) => `sk-or-~v1-${s.of(hex, 64)}`],
  ['OpenAI key', (s) => `sk-~proj-${s.of(letters, 74)}T3Blb~kFJ${s.of(letters, 74)}`],
  ['OpenAI key', (s) => `sk-~svcacct-${s.of(letters, 60)}`],
  ['provider key', (s) => `sk-${s.of(letters, 48)}`],
  ['provider key', (s) => `sk-${s.of(hex, 32)}`],
  ['Google key', (s) => `AI~zaSy${s.of(letters, 33)}`],
  ['Google client secret', (s) => `GOC~SPX-${s.of(letters, 28)}`],
  ['Google access token', (s) => `ya~29.a0${s.of(letters, 120)}`],
  ['Groq key', (s) => `gs~k_${s.of(letters, 52)}`],
  ['xAI key', (s) => `xa~i-${s.of(letters, 80)}`],
  ['Perplexity key', (s) => `pp~lx-${s.of(letters, 48)}`],
  ['NVIDIA key', (s) => `nv~api-${s.of(letters, 64)}`],
  ['Replicate token', (s) => `r~8_${s.of(letters, 37)}`],
  ['Hugging Face token', (s) => `h~f_${s.of(letters, 34)}`],
  ['GitHub token', (s) => `gh~p_${s.of(letters, 36)}`],
  ['GitHub token', (s) => `gh~s_${s.of(letters, 36)}`],
  ['GitHub token', (s) => `github~_pat_${s.of(letters, 22)}_${s.of(letters, 59)}`],
  ['GitLab token', (s) => `gl~pat-${s.of(letters, 20)}`],
  ['npm token', (s) => `np~m_${s.of(letters, 36)}`],
  ['PyPI token', (s) => `py~pi-AgEIcHlwaS5vcmc${s.of(letters, 140)}`],
  ['Docker token', (s) => `dckr~_pat_${s.of(letters, 27)}`],
  ['AWS access key', (s) => `AK~IA${s.of(`${capitals}234567`, 16)}`],
  ['AWS access key', (s) => `AS~IA${s.of(`${capitals}234567`, 16)}`],
  ['Azure storage key', (s) => `Account~Key=${s.of(`${letters}+/`, 86)}==`],
  ['DigitalOcean token', (s) => `dop~_v1_${s.of(hex, 64)}`],
  ['Databricks token', (s) => `da~pi${s.of(hex, 32)}`],
  ['Slack token', (s) => `xo~xb-${s.of(digits, 12)}-${s.of(digits, 12)}-${s.of(letters, 24)}`],
  ['Slack token', (s) => `xa~pp-1-A${s.of(capitals, 10)}-${s.of(digits, 13)}-${s.of(hex, 64)}`],
  [
    'Slack webhook',
    (s) => `hooks.~slack.com/services/T${s.of(capitals, 8)}/B${s.of(capitals, 8)}/${s.of(letters, 24)}`,
  ],
  ['Discord webhook', (s) => `discord.~com/api/webhooks/${s.of('123456789', 18)}/${s.of(letters, 68)}`],
  ['Telegram bot token', (s) => `${s.of('123456789', 10)}:~AA${s.of(letters, 33)}`],
  ['Stripe key', (s) => `sk~_live_${s.of(letters, 24)}`],
  ['Stripe key', (s) => `rk~_test_${s.of(letters, 24)}`],
  ['Stripe webhook secret', (s) => `wh~sec_${s.of(letters, 32)}`],
  ['Twilio key', (s) => `S~K${s.of(hex, 32)}`],
  ['SendGrid key', (s) => `S~G.${s.of(letters, 22)}.${s.of(letters, 43)}`],
  ['Shopify token', (s) => `shp~at_${s.of(hex, 32)}`],
  ['Linear key', (s) => `lin~_api_${s.of(letters, 40)}`],
  ['Notion token', (s) => `nt~n_${s.of(letters, 46)}`],
  ['Atlassian token', (s) => `ATA~TT3${s.of(letters, 180)}`],
  ['Grafana token', (s) => `gl~sa_${s.of(letters, 32)}_${s.of(hex, 8)}`],
  ['Sentry token', (s) => `sntry~s_${s.of(letters, 90)}`],
  ['Supabase key', (s) => `sb~p_${s.of(hex, 40)}`],
  ['Tailscale key', (s) => `ts~key-auth-${s.of(letters, 16)}-${s.of(letters, 30)}`],
  ['Vault token', (s) => `hv~s.${s.of(letters, 90)}`],
  ['Doppler token', (s) => `dp.~pt.${s.of(letters, 43)}`],
  ['age key', (s) => `AGE-~SECRET-KEY-1${s.of(`${capitals}234567`, 58)}`],
  ['JSON web token', (s) => `ey~J${s.of(letters, 33)}.ey~J${s.of(letters, 80)}.${s.of(letters, 43)}`],
];

/** The places where people and programs write them; % is the secret. */
const places = [
  'use %, please',
  'export SOME_VARIABLE="%"',
  '{"headers":{"x-key":"%"}}',
  '$ cat .npmrc\n//registry/:_authToken=%\n',
];

/** Values that are secrets because of the name beside them. */
const named: readonly (readonly [kind: string, template: string, make: (signs: Signs) => string])[] = [
  ['key beside its name', 'MISTRAL_API_KEY=%', (s) => s.of(letters, 32)],
  ['key beside its name', 'api_key: "%"', (s) => s.of(hex, 40)],
  ['key beside its name', "const apiKey = '%';", (s) => s.of(letters, 24)],
  ['key beside its name', '"secretKey": "%",', (s) => s.of(letters, 40)],
  ['key beside its name', 'AWS_SECRET_ACCESS_KEY=%', (s) => s.of(`${letters}+`, 40)],
  ['key beside its name', '{\\"api_key\\":\\"%\\"}', (s) => s.of(letters, 32)],
  ['token beside its name', 'CI_DEPLOY_TOKEN=%', (s) => s.of(letters, 30)],
  ['token beside its name', 'token: %', (s) => s.of(hex, 48)],
  ['token beside its name', '  "accessToken": "%"', (s) => s.of(letters, 64)],
  ['secret beside its name', 'CLIENT_SECRET = "%"', (s) => s.of(letters, 36)],
  ['secret beside its name', 'SESSION_SECRET=%', (s) => s.of(hex, 64)],
  ['password beside its name', 'DB_PASSWORD="%"', (s) => `${s.of(letters, 10)}7!`],
  ['password beside its name', "password: '%'", (s) => `${s.of(letters, 12)}#4`],
  ['password beside its name', 'PGPASSWORD=%', (s) => s.of(letters, 24)],
  ['password in an address', 'DATABASE_URL=postgres://tides:%@db.internal:5432/tides', (s) => s.of(letters, 16)],
  ['password in an address', 'git clone https://oauth2:%@git.internal/team/app.git', (s) => s.of(letters, 20)],
  ['password in an address', 'redis://:%@cache:6379/0', (s) => s.of(letters, 12)],
  ['authorization header', "curl -H 'Authorization: Bearer %' https://api.internal", (s) => s.of(letters, 40)],
  ['authorization header', '"Authorization": "Basic %"', (s) => `${s.of(letters, 38)}==`],
];

function privateKey(signs: Signs, name: string): SecretSample {
  const lines = Array.from({ length: 6 }, () => signs.of(`${letters}+/`, 64)).join('\n');
  const secret = `-----BEGIN ${name}PRIVATE~ KEY-----\n${lines}\n`.replaceAll('~', '');
  return { text: `$ cat key.pem\n${secret}-----END ${name}PRIVATE KEY-----\n`, secret, kind: 'private key' };
}

/** More than 200 texts with a secret. */
export function trueSamples(): SecretSample[] {
  const signs = new Signs();
  const shaped = shapes.flatMap(([kind, make], index) =>
    [0, 1, 2].map((step): SecretSample => {
      const secret = make(signs).replaceAll('~', '');
      return { kind, secret, text: (places[(index + step) % places.length] ?? '%').replace('%', () => secret) };
    }),
  );
  const beside = named.flatMap(([kind, template, make]) =>
    [0, 1, 2].map((): SecretSample => {
      const secret = make(signs).replaceAll('~', '');
      return { kind, secret, text: template.replace('%', () => secret) };
    }),
  );
  const keys = ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '].map((name) => privateKey(signs, name));
  return [...shaped, ...beside, ...keys];
}

/** Texts that people and programs write, in which nothing is secret; # is a number. */
const harmless = [
  'sk-learn-contrib-extras-and-more-#',
  'git commit 3f2504e04f8911d39a0c0305e82c3301a5b6c7d# fixes the token refresh',
  'The API key is read from the environment; the token count was #.',
  'tokens: #',
  'max_tokens: 409#',
  'const token = tokens[#];',
  'apiKey: process.env.SERVICE_KEY_#',
  'api_key = os.environ["KEY_#"]',
  'API_KEY=your-api-key-goes-here-#',
  'TOKEN=${TOKEN_#}',
  'password: "changeme#"',
  'password = prompt("Password #")',
  'PASSWORD=<your password #>',
  'secret: secretRef.name',
  'key: "ArrowDown#"',
  'primaryKey: "user_id_#"',
  'publicKey = "id_ed25519_#.pub"',
  'function getAccessToken(request#: Request): string',
  'accessToken: request.headers.accessToken',
  'tokenType: "bearer"',
  'Authorization: Bearer $TOKEN_#',
  'Authorization: Bearer <token-#>',
  'postgres://user:password@localhost:54#/db',
  'postgres://user:${PASSWORD_#}@localhost/db',
  'https://example.org:80#/path@2x.png',
  'integrity sha512-1v7fgQRj6hnSwFpq1Eu0ynrCDEw0rXo2B61qXrLNdHZmPKgb7fqS1a2JwF0rISo9q77jDI8VMEHoApn8qDoZA#==',
  '550e8400-e29b-41d4-a716-4466554400#',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg#==',
  'session 01HF3ZK4X9Q2J8V7T6R5W4N3M# of the board',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGq0YvJ8xX7mDkzv3cR4nTqWbHs9eLpUo2iKfAyN5wZ# jo@host',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA#\n-----END PUBLIC KEY-----',
  'look for "-----BEGIN PRIVATE KEY-----" in line #',
  '"cache_key": "conversation-list-#"',
  'foreign_key: "orders_customer_id_#"',
  'keyboard: "Control+Shift+#"',
  'credentials: "same-origin"',
  'credentials=include; path=#',
  'secretName: "tls-certificate-#"',
  'secret = "not so secret #"',
  'sk_test_your_key_here_#',
  'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx#',
  'AKIAIOSFODNN7EXAMPLE #',
  'glpat-... expires in # days',
  'eyJ is how a token begins, # signs at least',
  'token: "abc#"',
  'the password is hunter#',
  'private_key_path = "/etc/ssl/private/server-#.pem"',
  'tokenizer: "cl100k_base_#"',
  'class="token keyword-#"',
  'pwd=/home/user/projects/tides-#',
];

/** More than 500 texts without one. */
export function falseSamples(): string[] {
  const numbers = Array.from({ length: 11 }, (_, index) => String(1 + ((index * 7) % 10)));
  return [...new Set(harmless.flatMap((text) => numbers.map((number) => text.replaceAll('#', number))))].concat(
    Array.from(
      { length: 60 },
      (_, index) => `const token${index} = tokenAt(source, ${index}); // the secret is in the key ${index}`,
    ),
  );
}
