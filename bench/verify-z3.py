"""Zebra checks through z3's Python API: a fresh solver a check. Reads JSON on stdin, prints {"ms", "sat"}."""
import json
import sys
import time

from z3 import And, Distinct, Int, Or, Solver, sat


def check(job):
    n = job["houses"]
    v = [[Int(f"v{f}_{i}") for i in range(n)] for f in range(job["features"])]
    s = Solver()
    for row in v:
        s.add([And(1 <= x, x <= n) for x in row])
        s.add(Distinct(row))
    for c in job["clues"]:
        a = v[c["a"]["feature"]][c["a"]["value"]]
        if c["kind"] == "in":
            s.add(Or([a == i + 1 for i in range(n) if c["houses"] >> i & 1]))
            continue
        b = v[c["b"]["feature"]][c["b"]["value"]]
        if c["kind"] == "same":
            s.add(a == b)
        elif c["kind"] == "differ":
            s.add(a != b)
        elif c["kind"] == "left":
            s.add(a < b)
        elif c["kind"] == "offset":
            s.add(a + c["by"] == b)
        else:
            s.add(Or(a + c["by"] == b, b + c["by"] == a))
    for c in job["cells"]:
        s.add(v[c["feature"]][c["value"]] == c["house"] + 1)
    return s.check() == sat


jobs = json.load(sys.stdin)
began = time.perf_counter()
answers = [check(job) for job in jobs]
print(json.dumps({"ms": (time.perf_counter() - began) * 1000, "sat": answers}))
