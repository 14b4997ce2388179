import { readFileSync } from 'node:fs'
import { built } from '../../base/paths.ts'
import type { PageData } from './page-data.ts'

/** One self-contained file: data, script, plot library and style inline, nothing loaded from anywhere. */
export function* reportHtml(data: PageData): Generator<string> {
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rein bench: ${escapeHtml(data.summary.model)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>rein bench</h1><p id="about"></p></header>
<main id="main"></main>
<aside id="panel" hidden aria-label="runs"></aside>
<script type="application/json" id="data">`
  // column by column, so that no single string holds the whole of a large report; "<" would end the script element
  yield* jsonChunks(data)
  yield `</script>\n<script>${readFileSync(built('bench/page.js'), 'utf8').replaceAll('</script', '<\\/script')}</script>\n</body>\n</html>\n`
}

function* jsonChunks(data: PageData): Generator<string> {
  const safe = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')
  const { runs, ...rest } = data
  yield `{"runs":{`
  for (const [i, [name, column]] of Object.entries(runs).entries()) yield `${i > 0 ? ',' : ''}"${name}":${safe(column)}`
  yield `}`
  for (const [name, value] of Object.entries(rest)) yield `,"${name}":${safe(value)}`
  yield `}`
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)
}

const style = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--good:#1a7f37;--bad:#cf222e}
body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1200px;padding:1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .4rem}p{margin:.3rem 0}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,520px),1fr));gap:1rem}
.plot{height:360px;border:1px solid var(--line);border-radius:6px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;width:100%}
th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}tr.front td{font-weight:600}tbody tr{cursor:pointer}tbody tr:hover{background:var(--soft)}
select{font:inherit;margin-right:.6rem}
aside{position:fixed;inset:0 0 0 auto;width:min(620px,100%);background:Canvas;border-left:1px solid var(--line);overflow:auto;padding:1rem;box-shadow:0 0 24px #0005;z-index:9}
aside button{font:inherit}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem;background:var(--soft);padding:.7rem;border-radius:6px}
.right{color:var(--good)}.wrong{color:var(--bad)}.struck{text-decoration:line-through;opacity:.6}.prompt{opacity:.6}
.feedback,.forced{color:#8250df}.note{display:block;color:var(--bad);font-style:italic}
`
