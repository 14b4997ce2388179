"""Trains nano on shards of tokens for a given number of seconds on one GPU.

Knows: the schedule, the batch, when to stop. Does not know what the tokens mean (the generators do) nor who is right
(the graders do). Run from the repository's root; model/README.md has the commands.
"""
import argparse
import json
import math
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch
from safetensors.torch import load_file, save_file

import sample
from data import Shards
from model import Config, Nano, Varlen, attend_plain, rotary
from optim import Muon


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument("--data", required=True, help="folder of shards")
    a.add_argument("--out", required=True, help="folder for weights, log and samples")
    a.add_argument("--weights", default="model/weights", help="folder with config.json and tokenizer.json")
    a.add_argument("--resume", help="safetensors to start from")
    a.add_argument("--seconds", type=float, default=500, help="of training, compilation not counted")
    a.add_argument("--steps", type=int, default=10**9)
    a.add_argument("--tokens", type=int, default=131072, help="a step")
    a.add_argument("--lr", type=float, default=0.02, help="of Muon; Adam's is lr × 0.2")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--prompts", help="JSONL of held-out prompts to sample at the end")
    a.add_argument("--sample-seconds", type=float, default=40)
    return a.parse_args()


def multiplier(done: float) -> float:
    """Warm up over 2% of the time, hold until 45%, fall linearly to 2%."""
    return min(done / 0.02, 1.0) if done < 0.45 else 1 - 0.98 * (done - 0.45) / 0.55


def check_attention(c: Config):
    """The fast attention against the plain one on random documents; a wrong kernel must not train for ten minutes."""
    g = torch.Generator("cuda").manual_seed(0)
    make = lambda h: torch.randn(700, h, c.head_dim, device="cuda", generator=g).bfloat16().requires_grad_()
    q, k, v = make(c.heads), make(c.kv_heads), make(c.kv_heads)
    cu = torch.tensor([0, 100, 101, 400, 700], device="cuda", dtype=torch.int32)
    fast, plain = Varlen.apply(q, k, v, cu, 300), attend_plain(q, k, v, cu)
    weight = torch.randn_like(plain)
    grads = [torch.autograd.grad((o * weight).sum(), (q, k, v)) for o in (fast, plain)]
    for a, b in [(fast, plain), *zip(*grads)]:
        error = ((a - b).float().norm() / b.float().norm()).item()
        assert error < 2e-2, f"attention is off by {error}"


def export(model: Nano, folder: str):
    """bf16 weights in two parts of at most 16 MiB; join.ts makes one file of them."""
    tensors = {k: v.detach().to(torch.bfloat16).cpu().contiguous() for k, v in model.tensors().items()}
    half, parts = sum(t.numel() for t in tensors.values()) / 2, ({}, {})
    total = 0
    for name, t in tensors.items():
        parts[total > half][name] = t
        total += t.numel()
    for i, part in enumerate(parts):
        save_file(part, os.path.join(folder, f"part-{i + 1}.safetensors"))


def load(model: Nano, paths: str):
    stored = {}
    for path in paths.split(","):
        stored |= load_file(path)
    with torch.no_grad():
        for name, p in model.tensors().items():
            p.copy_(stored[name].float())


def main():
    args = arguments()
    os.makedirs(args.out, exist_ok=True)
    fast = torch.cuda.is_available()
    device = "cuda" if fast else "cpu"
    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")
    c = Config.read(json.load(open(os.path.join(args.weights, "config.json"))))
    model = Nano(c).to(device)
    if args.resume:
        load(model, args.resume)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.2f} M parameters on {device}", flush=True)
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and n != "embed"]
    others = [p for n, p in model.named_parameters() if p.ndim == 1 or n == "embed"]
    muon = Muon(matrices, args.lr)
    adam = torch.optim.AdamW(others, lr=args.lr * 0.2, betas=(0.9, 0.95), weight_decay=0.0, fused=fast)
    if fast:
        check_attention(c)
        model.compile()
        muon.orthogonal = torch.compile(muon.orthogonal, dynamic=False)
    data = Shards(args.data, args.tokens, args.seed, device)
    cos, sin = rotary(c, device)
    log = open(os.path.join(args.out, "log.jsonl"), "a")

    started, warm, step, recent = time.time(), 5 if fast else 0, 0, []
    while step < args.steps:
        if step == warm:
            if fast:
                torch.cuda.synchronize()
            print(f"first steps (compilation, waiting for data) took {time.time() - started:.1f} s", flush=True)
            started = time.time()
        done = (time.time() - started) / args.seconds if step >= warm else 0.0
        if args.steps < 10**9:
            done = max(done, step / args.steps)
        if done >= 1:
            break
        ids, position, cu, longest, target, weight = data.next()
        value = model(ids, position, cu, longest, cos, sin, target, weight, fast)
        value.backward()
        scale = multiplier(done) if step >= warm else 0.0
        for group in adam.param_groups:
            group["lr"] = args.lr * 0.2 * scale
        muon.step(scale, momentum=min(0.85 + 0.1 * step / 300, 0.95))
        adam.step()
        model.zero_grad(set_to_none=True)
        recent.append(value.detach())
        step += 1
        if step % 100 == 0 or step == args.steps:
            mean = torch.stack(recent).mean().item()
            recent, spent = [], time.time() - started
            row = {"step": step, "tokens": step * args.tokens, "loss": round(mean, 4), "lr": round(scale, 4),
                   "seconds": round(spent, 1), "shards": data.fresh, "again": data.again}
            log.write(json.dumps(row) + "\n")
            log.flush()
            if step % 500 == 0 or step == args.steps:
                print(row, f"{step * args.tokens / spent / 1e6:.2f} M tokens/s", flush=True)
            assert math.isfinite(mean), "the loss is not a number"
    if recent:
        print(f"ended at step {step}, loss {torch.stack(recent).mean().item():.4f}", flush=True)
    log.write(json.dumps({"step": step, "tokens": step * args.tokens, "seconds": round(time.time() - started, 1),
                          "shards": data.fresh, "again": data.again, "end": True}) + "\n")
    log.close()
    export(model, args.out)
    if args.prompts:
        # what is measured is what ships: the weights as bf16 has them
        with torch.no_grad():
            for p in model.parameters():
                p.copy_(p.bfloat16().float())
        tokenizer = json.load(open(os.path.join(args.weights, "tokenizer.json")))
        sample.run(model, args.prompts, os.path.join(args.out, "samples.jsonl"), tokenizer, seconds=args.sample_seconds)


if __name__ == "__main__":
    main()
