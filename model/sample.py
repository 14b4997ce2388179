"""Batched sampling on the GPU, to know what a training gave before its weights come home.

Reads prompts (JSONL: task, instance, ids), writes the same rows with the text that was sampled. Grading is done by the tasks'
own graders in TypeScript (model/grade.ts); nothing here knows a right answer.
"""
import json
import time

import torch
import torch.nn.functional as F

from model import after, before, logits, rotary


def decoder(tokenizer: dict):
    """Byte-level BPE: each character of a piece stands for one byte."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    other = [b for b in range(256) if b not in keep]
    byte = {chr(b): b for b in keep} | {chr(256 + i): b for i, b in enumerate(other)}
    piece = {i: bytes(byte[c] for c in s) for s, i in tokenizer["model"]["vocab"].items() if all(c in byte for c in s)}
    piece |= {t["id"]: t["content"].encode() for t in tokenizer["added_tokens"]}
    return lambda ids: b"".join(piece.get(i, b"?") for i in ids).decode("utf8", "replace")


@torch.no_grad()
def sample(model, prompts, end: int, new: int, temperature: float, top_p: float, seed: int, seconds: float):
    c, device = model.c, model.embed.device
    generator = torch.Generator(device).manual_seed(seed)
    cos, sin = rotary(c, device)
    started = time.time()
    rows = len(prompts)
    lens = torch.tensor([len(p) for p in prompts], device=device)
    room = min(int(lens.max()) + new, c.context)
    ids = torch.zeros(rows, int(lens.max()), dtype=torch.long, device=device)
    for i, p in enumerate(prompts):
        ids[i, : len(p)] = torch.tensor(p, device=device)
    cache = [torch.zeros(2, rows, c.kv_heads, room, c.head_dim, dtype=torch.bfloat16, device=device) for _ in model.layers]
    group = c.heads // c.kv_heads

    last = torch.empty(rows, c.vocab, device=device)
    for at in range(0, rows, 64):
        some = slice(at, min(at + 64, rows))
        x = F.embedding(ids[some], model.embed).bfloat16()
        n = x.shape[1]
        for w, kv in zip(model.layers, cache):
            q, k, v = before(x, w.norm1, w.q, w.k, w.v, cos[:n][:, None], sin[:n][:, None], c.head_dim, c.eps)
            kv[0, some, :, :n], kv[1, some, :, :n] = k.transpose(1, 2), v.transpose(1, 2)
            a = F.scaled_dot_product_attention(
                q.transpose(1, 2), k.repeat_interleave(group, 2).transpose(1, 2),
                v.repeat_interleave(group, 2).transpose(1, 2), is_causal=True,
            ).transpose(1, 2)
            x = after(x, a, w.o, w.norm2, w.gate, w.up, w.down, c.eps)
        x = x[torch.arange(x.shape[0], device=device), lens[some] - 1]
        last[some] = logits(x, model.norm, model.embed, c.eps).float()

    out: list[list[int]] = [[] for _ in prompts]
    alive, length = torch.arange(rows, device=device), lens.clone()
    for step in range(new):
        p = (last / max(temperature, 1e-4)).softmax(-1)
        if top_p < 1:
            s, order = p.sort(-1, descending=True)
            p = torch.zeros_like(p).scatter(-1, order, s * (s.cumsum(-1) - s < top_p))
        token = torch.multinomial(p, 1, generator=generator)[:, 0]
        for i, t in zip(alive.tolist(), token.tolist()):
            out[i].append(t)
        keep = (token != end) & (length < room - 1)
        if time.time() - started > seconds or not bool(keep.any()):
            break
        if step % 64 == 63 or bool((~keep).sum() > 0.25 * len(keep)):
            pick = keep.nonzero()[:, 0]
            cache = [kv[:, pick] for kv in cache]
            alive, length, token, keep = alive[pick], length[pick], token[pick], keep[pick]
        x = F.embedding(token, model.embed).bfloat16()
        n, batch = int(length.max()) + 1, torch.arange(len(token), device=device)
        hidden = torch.arange(n, device=device)[None, :] > length[:, None]
        for w, kv in zip(model.layers, cache):
            q, k, v = before(x, w.norm1, w.q, w.k, w.v, cos[length][:, None], sin[length][:, None], c.head_dim, c.eps)
            kv[0, batch, :, length], kv[1, batch, :, length] = k, v
            s = q.view(len(token), c.kv_heads, group, c.head_dim) @ kv[0, :, :, :n].mT * c.head_dim**-0.5
            s = s.float().masked_fill(hidden[:, None, None, :], float("-inf")).softmax(-1).bfloat16()
            a = (s @ kv[1, :, :, :n]).view(len(token), c.heads, c.head_dim)
            x = after(x, a, w.o, w.norm2, w.gate, w.up, w.down, c.eps)
        last = logits(x, model.norm, model.embed, c.eps).float()
        # an ended row that still stands in the batch goes on writing its end, which is cut below
        last[~keep] = torch.nn.functional.one_hot(torch.tensor(end, device=device), c.vocab).float() * 1e4
        length = length + keep
    return [o[: o.index(end) + 1] if end in o else o for o in out]


def run(model, prompts_file: str, out_file: str, tokenizer: dict, new=2200, temperature=0.6, top_p=0.95, seed=1, seconds=40.0):
    rows = [json.loads(line) for line in open(prompts_file)]
    decode = decoder(tokenizer)
    end = next(t["id"] for t in tokenizer["added_tokens"] if t["content"] == "<|end|>")
    started = time.time()
    texts = sample(model, [r["ids"] for r in rows], end, new, temperature, top_p, seed, seconds)
    with open(out_file, "w") as f:
        for row, ids in zip(rows, texts):
            row.pop("ids")
            f.write(json.dumps({**row, "tokens": len(ids), "output": decode(ids)}) + "\n")
    print(f"sampled {len(rows)} rows, {sum(map(len, texts))} tokens in {time.time() - started:.1f} s", flush=True)
