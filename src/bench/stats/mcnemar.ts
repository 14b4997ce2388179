/**
 * Exact two-sided McNemar test on the pairs that disagree: `gained` right only by the new method, `lost` right only by the old.
 * Under no difference each is a fair coin, so p is a binomial tail doubled (and at most 1).
 * @example mcnemar(1, 9) // 0.0215
 */
export function mcnemar(gained: number, lost: number): number {
  const n = gained + lost
  if (n === 0) return 1
  const k = Math.min(gained, lost)
  // C(n,i)/2^n by ratios, in logarithms because 2^n overflows from n = 1024 on
  let log = -n * Math.LN2
  let tail = Math.exp(log)
  for (let i = 1; i <= k; i++) {
    log += Math.log((n - i + 1) / i)
    tail += Math.exp(log)
  }
  return Math.min(1, 2 * tail)
}
