/** The colors of the page, by meaning. */
const light = {
  page: '#ffffff',
  sunken: '#f5f5f3',
  person: '#f3f3f1',
  hover: '#efefed',
  text: '#1c1c1a',
  'text-2': '#52524d',
  'text-3': '#666661',
  line: '#e6e6e3',
  'line-strong': '#d2d2cd',
  accent: '#2457c5',
  'accent-ground': '#ecf1fb',
  add: '#18703a',
  'add-ground': '#e9f6ed',
  mod: '#805200',
  del: '#b3261e',
  'del-ground': '#fceeed',
};

const dark: typeof light = {
  page: '#18191b',
  sunken: '#1f2022',
  person: '#212225',
  hover: '#25262a',
  text: '#e7e7e4',
  'text-2': '#b3b3ae',
  'text-3': '#969691',
  line: '#2b2c2f',
  'line-strong': '#3b3c40',
  accent: '#8db0fb',
  'accent-ground': '#1d2638',
  add: '#67c587',
  'add-ground': '#16271c',
  mod: '#ddb04f',
  del: '#f58f87',
  'del-ground': '#2e1b1a',
};

function tokens(colours: typeof light): string {
  return Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour};`)
    .join('');
}

/** The style of an exported page: that of Loom's own page, for reading. */
export const styleSheet = `
:root{color-scheme:light dark;${tokens(light)}
--sans:Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif;
--mono:"JetBrains Mono",ui-monospace,"SF Mono",SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}
@media (prefers-color-scheme:dark){:root{${tokens(dark)}}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:24px}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--text);font:400 15px/24px var(--sans);-webkit-font-smoothing:antialiased;text-rendering:optimizeLegibility;overflow-wrap:anywhere}
header,main,footer{max-width:776px;margin:0 auto;padding:0 24px}
header{padding-top:48px;padding-bottom:16px}
h1{margin:0;font-size:22px;line-height:30px;font-weight:650;letter-spacing:-.01em}
.facts{margin:6px 0 0;color:var(--text-3);font-size:13px;line-height:20px;font-variant-numeric:tabular-nums}
footer{padding-top:32px;padding-bottom:48px;color:var(--text-3);font-size:12px}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre,figcaption{font-family:var(--mono);font-size:.86em;font-variant-ligatures:none}
p code,li code,td code,.facts code,.note code{background:var(--sunken);border-radius:4px;padding:1px 4px}
article{margin:0 0 4px;padding:10px 0 6px;scroll-margin-top:24px}
article.user{background:var(--person);border-radius:10px;padding:10px 16px 12px;margin:20px 0 12px}
.head{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px;margin:0 0 4px;font-size:12px;line-height:18px;color:var(--text-3);font-variant-numeric:tabular-nums}
.head .who{font-weight:600;color:var(--text-2)}
.head time{margin-left:auto;opacity:.9}
.mark{color:var(--mod)}
.tag{color:var(--text-2);background:var(--hover);border-radius:4px;padding:0 6px}
article:target,.inside:has(:target){outline:2px solid var(--accent);outline-offset:6px;border-radius:8px}
.prose{max-width:72ch}
.prose>:first-child{margin-top:0}.prose>:last-child{margin-bottom:0}
.prose p,.prose ul,.prose ol,.prose blockquote,.prose pre,.prose .wide{margin:0 0 12px}
.prose ul,.prose ol{padding-left:24px}
.prose li{margin:2px 0}.prose li>p{margin:0 0 6px}
.prose li.task{list-style:none;margin-left:-20px}
.prose h4{margin:20px 0 8px;font-size:15px;line-height:24px;font-weight:650}
.prose h4.h1{font-size:19px;line-height:28px}.prose h4.h2{font-size:17px;line-height:26px}
.prose blockquote{border-left:2px solid var(--line-strong);padding-left:14px;color:var(--text-2);margin-left:0}
.prose hr{border:0;border-top:1px solid var(--line);margin:20px 0}
.plain{white-space:pre-wrap;margin:0}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;line-height:20px}
th,td{border-bottom:1px solid var(--line);padding:6px 14px 6px 0;text-align:left;vertical-align:top}
th{color:var(--text-2);font-weight:600}
pre{margin:0;padding:10px 14px;background:var(--sunken);border-radius:8px;font-size:12.5px;line-height:20px;overflow-x:auto;tab-size:2;scrollbar-width:thin;white-space:pre;overflow-wrap:normal}
pre code{font-size:inherit}
details{margin:6px 0}
summary{display:flex;align-items:baseline;gap:8px;list-style:none;cursor:pointer;font-size:13px;line-height:22px;color:var(--text-2);padding:1px 8px 1px 4px;border-radius:6px;min-width:0}
summary::-webkit-details-marker{display:none}
summary::before{content:"";flex:none;width:5px;height:5px;margin:0 3px 2px 2px;border-right:1.5px solid var(--text-3);border-bottom:1.5px solid var(--text-3);transform:rotate(-45deg)}
details[open]>summary::before{transform:rotate(45deg);margin-bottom:4px}
summary:hover{background:var(--hover)}
summary .name{font-weight:600;color:var(--text);white-space:nowrap}
.think summary .name,.raw summary .name,.prompt summary .name{font-weight:500;color:var(--text-3)}
summary .brief{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:var(--text-2);font-size:12.5px}
.state{margin-left:auto;font-size:12px;color:var(--text-3);white-space:nowrap}
.bad{color:var(--del)}
.inside{margin:4px 0 10px 8px;padding:0 0 0 14px;border-left:2px solid var(--line);display:grid;gap:8px;min-width:0}
.inside>*{min-width:0}
.failed>.inside{border-left-color:var(--del)}
.think .inside{color:var(--text-2);font-style:italic}
.think .prose{font-size:14px;line-height:22px}
.result,.console,.inside>pre{max-height:480px;overflow:auto}
.prompt{margin:0 0 12px}
figure{margin:0;border:1px solid var(--line);border-radius:8px;overflow:hidden}
figure+figure{margin-top:8px}
article>.prose+*,article>*+.prose,article>figure+*,article>*+figure,.todo+*,*+.todo{margin-top:10px}
.input>summary{font-size:12px;line-height:18px}.input summary .name{font-weight:500;color:var(--text-3)}
figcaption{padding:6px 12px;color:var(--text-2);font-size:12px;border-bottom:1px solid var(--line)}
figure pre{border-radius:0;max-height:480px;overflow:auto}
figcaption:last-child{border-bottom:0}
.numbered{display:grid;grid-template-columns:auto 1fr;max-height:480px;overflow:auto;background:var(--sunken)}
.numbered pre{max-height:none;overflow:visible}
.numbered pre[aria-hidden]{position:sticky;left:0;padding-right:0;color:var(--text-3);text-align:right;user-select:none;background:var(--sunken)}
.kind{font-weight:600;color:var(--mod)}.kind.add{color:var(--add)}.kind.delete{color:var(--del)}
.diff{padding:6px 0}
.diff span{display:block;padding:0 12px;min-width:max-content}
.diff .plus{background:var(--add-ground);color:var(--add)}
.diff .minus{background:var(--del-ground);color:var(--del)}
.diff .hunk{color:var(--text-3)}
.console .prompt{color:var(--text-3)}
.todo{list-style:none;margin:0;padding:4px 0;font-size:14px;line-height:22px}
.todo .completed{color:var(--text-3);text-decoration:line-through;text-decoration-thickness:1px}
.todo .in_progress{font-weight:600}
.box{display:inline-block;width:1.3em;color:var(--accent);text-decoration:none}
.sources{margin:4px 0;padding-left:22px;font-size:13px;line-height:20px}
.note{margin:4px 0;color:var(--text-3);font-size:13px;line-height:20px}
.error{margin:6px 0;padding:8px 14px;border-radius:8px;background:var(--del-ground);color:var(--del);font-size:14px;line-height:20px}
img{max-width:100%;height:auto;border-radius:8px;display:block}
.start{display:flex;align-items:center;gap:12px;margin:24px 0 8px;color:var(--text-3);font-size:12px}
.start::before,.start::after{content:"";flex:1;border-top:1px dashed var(--line-strong)}
.forks{margin:20px 0 8px;padding:12px 16px;border:1px solid var(--line);border-radius:10px;font-size:14px;line-height:20px}
.forks p{margin:0 0 6px;color:var(--text-3);font-size:12px}
.forks ol{list-style:none;margin:0;padding:0}
.forks li{margin:2px 0}
.forks a{display:flex;gap:8px;padding:3px 6px;margin:0 -6px;border-radius:6px;color:var(--text);text-decoration:none}
.forks a:hover{background:var(--hover)}
.count{flex:none;min-width:20px;height:20px;border-radius:10px;background:var(--accent-ground);color:var(--accent);font-size:11px;line-height:20px;font-weight:600;text-align:center}
.branch{margin-top:36px;padding-left:18px;border-left:2px solid var(--line)}
h2{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;margin:0 0 4px;font-size:13px;line-height:20px;font-weight:600;color:var(--text-2)}
h2 a{font-weight:400;font-size:12px}
@media (max-width:560px){header,main,footer{padding-left:14px;padding-right:14px}header{padding-top:24px}article.user{padding:8px 12px 10px}.branch{padding-left:10px}.inside{margin-left:4px;padding-left:10px}.head time{margin-left:0;width:100%}}
@media print{:root{${tokens(light)}}body{font-size:11pt;line-height:1.45}header,main,footer{max-width:none;padding:0}article.user,pre,figure,.forks{break-inside:avoid}.result,.console,figure pre,.numbered,.inside>pre{max-height:none;overflow:visible;white-space:pre-wrap}details:not([open])>summary{break-after:avoid}a{color:inherit}}
`;
