"""Muon for the matrices, Adam for the embedding and the norms.

Muon (Jordan, 2024): the momentum of each matrix is made orthogonal by five Newton-Schulz steps, so that every direction
moves alike. Matrices of one shape are stacked and treated in one product, because here they are small and many.
"""
import torch


def orthogonal(g: torch.Tensor) -> torch.Tensor:
    x = g.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for a, b, c in [(3.4445, -4.7750, 2.0315)] * 5:
        s = x @ x.mT
        x = a * x + (b * s + c * s @ s) @ x
    return x.mT if tall else x


class Muon:
    def __init__(self, matrices, lr: float, momentum: float = 0.95, decay: float = 0.01):
        shapes: dict[tuple, list] = {}
        for p in matrices:
            shapes.setdefault(tuple(p.shape), []).append(p)
        self.groups = [(ps, torch.zeros(len(ps), *s, device=ps[0].device)) for s, ps in shapes.items()]
        self.lr, self.momentum, self.decay = lr, momentum, decay
        self.orthogonal = orthogonal

    @torch.no_grad()
    def step(self, scale: float, momentum: float | None = None):
        m = self.momentum if momentum is None else momentum
        for params, buffer in self.groups:
            g = torch.stack([p.grad for p in params])
            buffer.lerp_(g, 1 - m)
            update = self.orthogonal(g.lerp(buffer, m))
            rate = self.lr * scale * max(1.0, update.shape[-2] / update.shape[-1]) ** 0.5
            torch._foreach_mul_(params, 1 - self.lr * scale * self.decay)
            torch._foreach_add_(params, list(update.float().unbind(0)), alpha=-rate)
