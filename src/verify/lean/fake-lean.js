// Stands in for `lean --worker` in the tests: the same protocol, with "checks" that look for words in the text.
let held = Buffer.alloc(0)
let version = 0
let text = ''
const send = (m) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...m })
  process.stdout.write(`[DEBUG:X] noise\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
const say = (line, severity, message) => ({ severity, message, range: { start: { line, character: 2 } } })
function diagnostics() {
  const found = [say(0, 3, `checked ${version}: ${[...text].length} characters`)]
  text.split('\n').forEach((l, i) => {
    if (l.includes('wrong')) found.push(say(i, 1, `type mismatch in line ${i + 1} ∀`))
    if (l.startsWith('#print axioms'))
      found.push(
        say(
          i,
          3,
          `'${l.slice(14)}' ${text.includes('hidden') ? 'depends on axioms: [propext, sorryAx]' : 'does not depend on any axioms'}`,
        ),
      )
    if (l.startsWith('#eval'))
      found.push(say(i, 3, l.includes('rein_want1') && text.includes('off by one') ? 'false' : 'true'))
  })
  return found
}
const imports = (t) => /^(?:\s*import [^\n]*)*/.exec(t)[0]
function handle(m) {
  const next = m.method === 'textDocument/didChange' ? m.params.contentChanges[0].text : undefined
  // as the real one: it ends when the imports change
  if (next !== undefined && imports(next) !== imports(text)) process.exit(1)
  if (m.method === 'textDocument/didOpen') [text, version] = [m.params.textDocument.text, m.params.textDocument.version]
  if (m.method === 'textDocument/didChange')
    [text, version] = [m.params.contentChanges[0].text, m.params.textDocument.version]
  if (text.includes('crash') || (text.includes('tired') && version > 2)) process.exit(3)
  if (m.method === 'textDocument/waitForDiagnostics') {
    if (text.includes('forever')) return
    const params = { uri: m.params.uri, version, diagnostics: diagnostics() }
    send({ method: 'textDocument/publishDiagnostics', params: { ...params, diagnostics: [] } })
    send({ method: 'textDocument/publishDiagnostics', params })
    send({ id: m.id, result: {} })
  }
}
process.stdin.on('data', (chunk) => {
  held = Buffer.concat([held, chunk])
  for (;;) {
    const head = /^Content-Length: (\d+)\r\n\r\n/.exec(held.toString('latin1'))
    if (!head || held.length < head[0].length + Number(head[1])) return
    const end = head[0].length + Number(head[1])
    handle(JSON.parse(held.subarray(head[0].length, end).toString('utf8')))
    held = held.subarray(end)
  }
})
process.stdin.on('end', () => process.exit(0))
