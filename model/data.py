"""Shards of tokens as they arrive, made into flat batches.

A shard is two files, NAME.ids (uint16) and NAME.mask (uint8: 1 = the model's own token, learn it; 2 = a document begins here).
Generators may still be writing: shards are taken in the order in which they appear, and when none is new an old one is read again.
"""
import glob
import os
import queue
import threading
import time

import numpy as np
import torch


class Shards:
    def __init__(self, folder: str, tokens: int, seed: int, device: str):
        self.folder, self.tokens, self.device = folder, tokens, device
        self.random = np.random.default_rng(seed)
        self.seen: list[str] = []
        self.fresh = self.again = 0
        self.queue: queue.Queue = queue.Queue(maxsize=8)
        threading.Thread(target=self._fill, daemon=True).start()

    def _next(self) -> str:
        while True:
            new = sorted(set(glob.glob(os.path.join(self.folder, "*.ids"))) - set(self.seen), key=os.path.getmtime)
            if new:
                self.seen.append(new[0])
                self.fresh += 1
                return new[0]
            if self.seen:
                self.again += 1
                return self.seen[self.random.integers(len(self.seen))]
            time.sleep(0.2)

    def _fill(self):
        t = self.tokens
        while True:
            path = self._next()
            ids = np.fromfile(path, dtype=np.uint16)
            mask = np.fromfile(path[:-4] + ".mask", dtype=np.uint8)
            for at in range(0, len(ids) - t, t):
                self.queue.put(self._batch(ids[at : at + t + 1], mask[at : at + t + 1]))

    def _batch(self, ids, mask):
        t = self.tokens
        begins = np.flatnonzero(mask[:t] & 2)
        weight = (mask[1:] & 1) * ((mask[1:] & 2) == 0)
        # a document cut by the batch's left edge has lost its question: nothing is learnt from it
        weight[: begins[0] if len(begins) else t] = 0
        edges = np.unique(np.concatenate(([0], begins, [t]))).astype(np.int32)
        lengths = np.diff(edges)
        position = np.arange(t, dtype=np.int64) - np.repeat(edges[:-1], lengths)
        put = lambda x: torch.from_numpy(x).pin_memory() if self.device == "cuda" else torch.from_numpy(x)
        return (
            put(ids[:t].astype(np.int64)), put(np.minimum(position, 4095)), put(edges), int(lengths.max()),
            put(ids[1:].astype(np.int64)), put(weight.astype(np.float32)),
        )

    def next(self):
        return [x.to(self.device, non_blocking=True) if torch.is_tensor(x) else x for x in self.queue.get()]
