// Makes a bare clone ready: installs the npm packages and builds, and with --test also asks apt for the system packages
// that some tests drive. Uses only what Node brings, because nothing is installed yet when it runs.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const marker = join(root, 'node_modules', '.rein-installed')
const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`rein needs Node 20.19 or newer, this is ${process.versions.node}: install a newer Node and try again.`)
  process.exit(2)
}

if (!existsSync(marker) || readFileSync(marker, 'utf8') !== lock) {
  console.error('Installing packages (once) …')
  // not `npm ci`: it refuses a lock file in which a registry's missing packages for other platforms are missing too;
  // this takes the versions of the lock file all the same and writes neither file
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
  const done = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (done.status !== 0) {
    console.error('npm install failed (see above): is the npm registry reachable from here?')
    process.exit(1)
  }
  writeFileSync(marker, lock)
}

if (process.argv.includes('--test'))
  systemPackages({
    chromium: 'chromium',
    'redis-server': 'redis-server',
    z3: 'z3',
    debootstrap: 'debootstrap',
    bwrap: 'bubblewrap',
  })
const { build } = await import('./build.js')
try {
  build()
} catch (error) {
  console.error(`${error.message} (see above)`)
  process.exit(1)
}

/** Tests that need one of these skip loudly where it is missing, so a refusal here is no failure. */
function systemPackages(wanted) {
  const have = (bin) => ['/usr/bin', '/usr/sbin', '/bin', '/usr/local/bin'].some((d) => existsSync(join(d, bin)))
  const missing = Object.entries(wanted)
    .filter(([bin]) => !have(bin))
    .map(([, pkg]) => pkg)
  if (missing.length === 0) return
  const root0 = process.getuid?.() === 0
  if (!root0 || !existsSync('/usr/bin/apt-get')) {
    console.error(`Not installed: ${missing.join(', ')}. The tests that need them will say that they skip.`)
    return
  }
  console.error(`Installing for the tests: ${missing.join(', ')} …`)
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', ...args], {
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status
  const lists = '/var/lib/apt/lists'
  if (!existsSync(lists) || Date.now() - statSync(lists).mtimeMs > 864e5) apt('update')
  const install = () => apt('install', '-y', '--no-install-recommends', ...missing) === 0
  if (install()) return
  apt('update')
  if (!install()) console.error('apt could not install all of them; the tests that need them will say that they skip.')
}
