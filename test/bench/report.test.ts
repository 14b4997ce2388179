import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { built, packageRoot } from '../../src/base/paths.ts'
import { random } from '../../src/base/random.ts'
import { parseConfig } from '../../src/bench/config.ts'
import { writeReport } from '../../src/bench/report/write.ts'
import type { Row, Timing } from '../../src/bench/row.ts'
import { runBench } from '../../src/bench/run.ts'
import { fakeParts } from './fake.ts'

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) =>
  existsSync(p),
)
if (!browserPath)
  console.warn('SKIPPED: the report opens in a browser only where chromium is installed (apt install chromium)')

let root: string
beforeAll(() => {
  // the page is bundled first; a compiler error elsewhere is another test's business
  spawnSync(process.execPath, [join(packageRoot, 'scripts', 'build.js')], { stdio: 'ignore' })
  expect(existsSync(built('bench/page.js'))).toBe(true)
  root = mkdtempSync(join(tmpdir(), 'rein-report-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

describe('the report of a small run', () => {
  let dir: string
  beforeAll(async () => {
    dir = join(root, 'small')
    const config = parseConfig({
      tasks: ['sums'],
      methods: ['cot'],
      sweep: ['best:k=2..4', 'best:k=2,3,bonus=1,2'],
      size: { sums: [3, 6, 9] },
      limit: 30,
      out: dir,
    })
    await runBench(config, fakeParts())
    writeReport(dir)
  })

  it.skipIf(!browserPath)('draws every plot, and each point opens its run', async () => {
    const browser = await open()
    try {
      const page = await browser.newPage({ viewport: { width: 1300, height: 900 } })
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) errors.push(`asks for ${request.url()}`)
      })
      await page.goto(pathToFileURL(join(dir, 'report.html')).href)
      await page.waitForSelector('body[data-ready]')
      expect(errors).toEqual([])
      expect(await page.locator('#summary tbody tr').count()).toBe(8)
      const plots = page.locator('.plot')
      expect(await plots.count()).toBeGreaterThanOrEqual(5)
      for (const plot of await plots.all()) expect(await plot.locator('canvas').count()).toBeGreaterThan(0)

      await page.locator('#summary tbody tr').first().click()
      expect(await page.locator('#panel').isVisible()).toBe(true)
      expect(await page.locator('#panel tbody tr').count()).toBe(30)
      await page.locator('#panel tbody tr').nth(3).click()
      expect(await page.locator('#panel').textContent()).toMatch(/tokens, answer/)
      expect(await page.locator('#panel pre').textContent()).toContain('What is')
      const href = await page.locator('#panel a').getAttribute('href')
      expect(existsSync(join(dir, decodeURIComponent(href!)))).toBe(true)
      await page.locator('#panel button').click()

      // a point of the scatter of runs, hit where it is drawn
      const runs = page.locator('#runs')
      await runs.scrollIntoViewIfNeeded()
      const position = await runs.locator('canvas').first().evaluate(greenPoint)
      expect(position).not.toBeNull()
      await runs.click({ position: position! })
      expect(await page.locator('#panel').isVisible()).toBe(true)
      expect(await page.locator('#panel').getAttribute('data-run')).toMatch(/^\d+$/)
    } finally {
      await browser.close()
    }
  })
})

describe('100,000 rows', () => {
  it('give a report in under a minute and under 1 GB that opens in a real browser', async () => {
    const dir = join(root, 'large')
    await makeLarge(dir)
    const began = process.cpuUsage()
    const summary = writeReport(dir)
    // of the processor's time: other tests run beside this one
    const { user, system } = process.cpuUsage(began)
    const seconds = (user + system) / 1e6
    const rss = process.resourceUsage().maxRSS / 1024
    console.info(
      `100,000 rows: report in ${seconds.toFixed(1)} s of CPU time, peak ${rss.toFixed(0)} MB, ${(statSync(join(dir, 'report.html')).size / 1e6).toFixed(1)} MB`,
    )
    expect(summary.runs).toBe(100_000)
    expect(seconds).toBeLessThan(60)
    expect(rss).toBeLessThan(1024)
    if (!browserPath) return
    const browser = await open()
    try {
      const page = await browser.newPage()
      await page.goto(pathToFileURL(join(dir, 'report.html')).href)
      await page.waitForSelector('body[data-ready]', { timeout: 30_000 })
      expect(await page.locator('#about').textContent()).toContain('100,000 runs')
      await page.locator('#summary tbody tr').first().click()
      expect(await page.locator('#panel tbody tr').count()).toBe(500)
    } finally {
      await browser.close()
    }
  }, 120_000)
})

/** Where a right run's green point is drawn (its middle: green to all sides), in the page's pixels. Runs in the browser. */
function greenPoint(canvas: HTMLElement | SVGElement): { x: number; y: number } | null {
  const plot = canvas as HTMLCanvasElement
  const { data, width, height } = plot.getContext('2d')!.getImageData(0, 0, plot.width, plot.height)
  const green = (x: number, y: number): boolean => {
    const i = 4 * (y * width + x)
    return data[i + 3]! > 80 && data[i + 1]! > data[i]! + 40 && data[i + 1]! > data[i + 2]! + 20
  }
  const scale = width / plot.clientWidth
  // below the legend, which is green too
  for (let y = Math.round(70 * scale); y < height - 3; y++)
    for (let x = 3; x < width - 3; x++)
      if (green(x, y) && green(x - 2, y) && green(x + 2, y) && green(x, y - 2) && green(x, y + 2))
        return { x: x / scale, y: y / scale }
  return null
}

function open(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox'] })
}

/** 5 tasks × 10 methods × 2,000 runs as a bench would have left them. */
async function makeLarge(dir: string): Promise<void> {
  await runBench(parseConfig({ tasks: ['sums'], methods: ['cot'], limit: 1, logs: 'none', out: dir }), fakeParts())
  const rng = random(7)
  const rows: string[] = []
  const timings: string[] = []
  for (let t = 0; t < 5; t++)
    for (let m = 0; m < 10; m++)
      for (let i = 0; i < 2000; i++) {
        const main = rng.int(200, 900) * (1 + m)
        const key = {
          task: `task${t}`,
          method: m === 0 ? 'cot' : `method${m}:k=${m}`,
          instance: `instance ${i} of ${t}`,
          seed: 1,
        }
        const row: Row = {
          ...key,
          status: 'unverified',
          correct: rng.chance(0.5 + m / 25),
          tokens: main + 30,
          tokensBy: { main, discarded: 10, fork: 20, compress: 0, judge: 0 },
          answer: `(${rng.int(1, 13)} + ${rng.int(1, 13)}) * ${rng.int(1, 13)} - ${rng.int(1, 13)}`,
          difficulty: rng.int(1, 40),
          checks: { passRight: 1, passWrong: 0, failRight: 0, failWrong: 0, unknown: 0 },
          figures: { retries: rng.int(0, 5) },
        }
        const timing: Timing = { ...key, ms: rng.int(100, 9000), verifyMs: rng.int(0, 50), engine: 'fake' }
        rows.push(JSON.stringify(row))
        timings.push(JSON.stringify(timing))
      }
  writeFileSync(join(dir, 'results.jsonl'), `${rows.join('\n')}\n`)
  writeFileSync(join(dir, 'timings.jsonl'), `${timings.join('\n')}\n`)
}
