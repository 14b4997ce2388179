import type { Token } from '../trace/token.ts'

/**
 * Looks for stop texts in a stream of tokens. Done here for servers that cut the stop text off, hold text back while they
 * look for it, or lose what they held back (llama.cpp at its length limit).
 * @example const stop = stopMatcher(['}']); stop({ text: '24' }) // undefined
 */
export function stopMatcher(stops: readonly string[]): (token: Token) => string | undefined {
  const wanted = stops.filter((stop) => stop !== '')
  const reach = Math.max(0, ...wanted.map((stop) => stop.length - 1))
  const decoder = new TextDecoder()
  let seen = ''
  return (token) => {
    seen += token.bytes ? decoder.decode(token.bytes, { stream: true }) : token.text
    let first: { at: number; stop: string } | undefined
    for (const stop of wanted) {
      const at = seen.indexOf(stop)
      if (at >= 0 && (!first || at < first.at)) first = { at, stop }
    }
    // cut only after the search: a stop may begin in older text
    seen = reach === 0 ? '' : seen.slice(-reach)
    return first?.stop
  }
}
