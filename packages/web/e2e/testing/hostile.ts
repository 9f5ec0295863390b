import type { ParamsOf } from '@loom/kernel';

/** Markup that runs something or loads something where it is taken for markup; `remote` is a server that must not be asked. */
export function hostileTexts(remote: string): string[] {
  const run = `window.ran='here'`;
  const markup = [
    ...handlers.flatMap(([tag, event]) => [
      `<${tag} ${event}="${run}">x`,
      `<${tag} ${event}=${run}//`,
      `<${tag}/${event}="${run}"/>`,
    ]),
    ...loaders.map((loader) => loader.replaceAll('REMOTE', `${remote}/${encodeURIComponent(loader.slice(0, 24))}`)),
    ...scripts.map((script) => script.replaceAll('RUN', run)),
    ...scripts.map((script) => `words before ${script.replaceAll('RUN', run)} and after`),
    ...scripts.map((script) => script.replaceAll('RUN', run).toUpperCase().replaceAll("WINDOW.RAN='HERE'", run)),
  ];
  const addresses = [
    'javascript:',
    'JaVaScRiPt:',
    'java\tscript:',
    '\u0001javascript:',
    'data:text/html,<script>',
    'vbscript:',
    'blob:',
    'file:///',
  ].map((scheme) => `${scheme}${run}`);
  const markdown = [
    ...addresses.flatMap((address) => [
      `[x](${address})`,
      `[x](<${address}>)`,
      `<${address}>`,
      `[x]\n\n[x]: ${address}`,
    ]),
    `![x](${remote}/a.png)`,
    `![x](${remote}/b.png "t")`,
    `[![x](${remote}/c.png)](${remote})`,
    `![x][y]\n\n[y]: ${remote}/d.png`,
    `![x](data:image/svg+xml,<svg onload="${run}">)`,
    `[x](https://a"onmouseover="${run})`,
    `![x" onerror="${run}](x)`,
    '```"><img src=x onerror=window.ran=1>\ncode\n```',
    `\`\`\`html\n<script>${run}</script>\n\`\`\``,
    `| <img src=x onerror="${run}"> |\n| --- |\n| <svg onload="${run}"> |`,
    `- <img src=x onerror="${run}">\n  - <script>${run}</script>`,
    `# <img src=x onerror="${run}">`,
    `> <iframe srcdoc="<script>parent.ran=1</script>">`,
    `<https://example.org" onmouseover="${run}>`,
    `&lt;script&gt;${run}&lt;/script&gt;`,
    `\\<img src=x onerror="${run}">`,
  ];
  return [...markup, ...markdown];
}

const handlers = [
  'img src=x onerror',
  'img src=x onload',
  'svg onload',
  'svg/onload',
  'body onload',
  'body onpageshow',
  'input autofocus onfocus',
  'select autofocus onfocus',
  'textarea autofocus onfocus',
  'button autofocus onfocus',
  'a tabindex=0 autofocus onfocus',
  'video src=x onerror',
  'audio src=x onerror',
  'details open ontoggle',
  'marquee onstart',
  'div onmouseover',
  'p onclick',
  'div onpointerenter',
  'form onsubmit',
  'iframe onload',
  'object data=x onerror',
  'embed src=x onload',
  'link rel=stylesheet href=x onerror',
  'style onload',
  'script src=x onerror',
  'source onerror',
  'track onerror',
  'keygen autofocus onfocus',
  'dialog open onclose',
  'div contenteditable autofocus onfocus',
  'div popover onbeforetoggle',
  'div style="animation:turn 1s" onanimationstart',
  'div style="transition:all 1s" ontransitionend',
  'svg><animate onbegin',
  'svg><set onbegin',
  'math onmouseover',
].map((words): [string, string] => {
  const at = words.search(/[ /]on\w+$/u);
  return [words.slice(0, at), words.slice(at + 1)];
});

const loaders = [
  '<img src="REMOTE">',
  '<img srcset="REMOTE 1x">',
  '<picture><source srcset="REMOTE"><img></picture>',
  '<video src="REMOTE" autoplay></video>',
  '<video poster="REMOTE"></video>',
  '<audio src="REMOTE" autoplay></audio>',
  '<iframe src="REMOTE"></iframe>',
  '<iframe srcdoc="<img src=REMOTE>"></iframe>',
  '<object data="REMOTE"></object>',
  '<embed src="REMOTE">',
  '<link rel="stylesheet" href="REMOTE">',
  '<link rel="preload" as="image" href="REMOTE">',
  '<link rel="prefetch" href="REMOTE">',
  '<link rel="modulepreload" href="REMOTE">',
  '<link rel="icon" href="REMOTE">',
  '<link rel="manifest" href="REMOTE">',
  '<script src="REMOTE"></script>',
  '<script type="module" src="REMOTE"></script>',
  '<style>@import "REMOTE";</style>',
  '<style>body { background: url(REMOTE) }</style>',
  '<style>@font-face { font-family: x; src: url(REMOTE) } * { font-family: x }</style>',
  '<div style="background-image: url(REMOTE)">x</div>',
  '<table background="REMOTE"><tr><td background="REMOTE">x</table>',
  '<body background="REMOTE">',
  '<input type="image" src="REMOTE">',
  '<svg><image href="REMOTE"/></svg>',
  '<svg><image xlink:href="REMOTE"/></svg>',
  '<svg><use href="REMOTE#x"/></svg>',
  '<svg><feImage href="REMOTE"/></svg>',
  '<svg><style>@import "REMOTE";</style></svg>',
  '<math><mtext><img src="REMOTE"></mtext></math>',
  '<base href="REMOTE/"><img src="x.png">',
  '<form action="REMOTE"><input name=a value=b><button autofocus>x</button></form>',
  '<template><img src="REMOTE"></template><img src="REMOTE">',
  '<noscript><img src="REMOTE"></noscript>',
  '<frameset><frame src="REMOTE"></frameset>',
];

const scripts = [
  '<script>RUN</script>',
  '<script type="module">RUN</script>',
  '<svg><script>RUN</script></svg>',
  '<math><script>RUN</script></math>',
  '<iframe src="javascript:parent.RUN"></iframe>',
  '<iframe srcdoc="<script>parent.RUN</script>"></iframe>',
  '<object data="javascript:RUN"></object>',
  '<embed src="javascript:RUN">',
  '<a href="javascript:RUN" autofocus>x</a>',
  '<form action="javascript:RUN"><button>x</button></form>',
  '<math><mi//xlink:href="javascript:RUN">x</mi></math>',
  '<svg><a xlink:href="javascript:RUN"><text>x</text></a></svg>',
  '<noscript><p title="</noscript><img src=x onerror=RUN>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=RUN&gt;">',
  '<svg></p><style><a id="</style><img src=1 onerror=RUN>">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=RUN>',
  '<template><script>RUN</script></template>',
  '<xmp><img src=x onerror=RUN></xmp>',
  '<!--><img src=x onerror=RUN>-->',
  '<![CDATA[<img src=x onerror=RUN>]]>',
  '<?xml-stylesheet href="javascript:RUN"?>',
  '<style><img src="</style><img src=x onerror=RUN//">',
  '<img src="x` `<script>RUN</script>"` `>',
  '<div id="x"><img/src/onerror=RUN></div>',
  '<meta http-equiv="refresh" content="0;url=javascript:RUN">',
];

/** Messages that have such texts wherever a person, a model or a tool can put words. */
export function hostileMessages(texts: readonly string[], remote: string): ParamsOf<'node.append'>['messages'] {
  const all = texts.join('\n\n');
  const some = texts.filter((_, index) => index % 9 === 0);
  const changes = some.map((path) => ({
    path,
    kind: 'modify' as const,
    diff: `@@ -1 +1 @@ ${path}\n-${path.replaceAll('\n', ' ')}\n+${path.replaceAll('\n', ' ')}x`,
  }));
  const page = `data:text/html;base64,${btoa('<script>parent.ran = 1</script>')}`;
  return [
    {
      role: 'user',
      content: [{ type: 'text', text: 'Hostile' }, ...texts.map((text) => ({ type: 'text' as const, text }))],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: all },
        { type: 'thinking', text: all },
        { type: 'code', content: all, filename: all, language: 'html' },
        { type: 'command', command: all, stdout: all, stderr: all },
        { type: 'file-change', changes },
        { type: 'todo', items: some.map((content) => ({ content, status: 'pending' as const })) },
        { type: 'sources', sources: some.map((text) => ({ id: text, url: text, title: text })) },
        { type: 'sources', sources: [{ id: '1', url: 'javascript:window.ran=1', title: 'x' }] },
        { type: 'text', text: 'Cited [1].' },
        { type: 'image', media_type: 'image/png', url: `${remote}/image.png` },
        { type: 'image', media_type: 'image/svg+xml', url: `data:image/svg+xml,<svg onload="window.ran=1">` },
        { type: 'image', media_type: 'text/html', url: page, filename: all },
        { type: 'error', code: all, message: all },
        { type: 'raw', source: all, value: { type: all, all } },
        ...some.map((text, index) => ({
          type: 'tool-use' as const,
          id: `c${index}`,
          name: text,
          parameters: { text },
        })),
      ],
    },
    ...some.map((text, index) => ({
      role: 'tool' as const,
      tool_call_id: `c${index}`,
      is_error: true,
      content: [{ type: 'text' as const, text }],
    })),
  ];
}
