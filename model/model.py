"""nano as a PyTorch module: the Llama layout, no more.

Knows: RMSNorm, rotary positions (half rotation, as Hugging Face has it), SwiGLU, grouped-query attention, tied embeddings.
Does not know: tokens' meaning, data, optimisers. Documents lie one after another in one flat row of tokens; attention never
crosses from one document into another (variable-length flash attention on a GPU, a masked product on a CPU).
"""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Config:
    vocab: int = 1280
    width: int = 320
    layers: int = 8
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 64
    ffn: int = 896
    theta: float = 10000.0
    eps: float = 1e-5
    context: int = 4096

    @staticmethod
    def read(hf: dict) -> "Config":
        """From a config.json of Hugging Face's Llama."""
        return Config(
            vocab=hf["vocab_size"], width=hf["hidden_size"], layers=hf["num_hidden_layers"],
            heads=hf["num_attention_heads"], kv_heads=hf["num_key_value_heads"], head_dim=hf["head_dim"],
            ffn=hf["intermediate_size"], theta=hf["rope_theta"], eps=hf["rms_norm_eps"],
            context=hf["max_position_embeddings"],
        )


class Varlen(torch.autograd.Function):
    """Flash attention over documents of different lengths, by PyTorch's own kernels."""

    @staticmethod
    def forward(ctx, q, k, v, cu, longest):
        out, lse, rng, unused, _ = torch.ops.aten._flash_attention_forward(
            q, k, v, cu, cu, longest, longest, 0.0, True, False
        )
        ctx.longest = longest
        ctx.save_for_backward(q, k, v, out, lse, cu, rng, unused)
        return out

    @staticmethod
    def backward(ctx, g):
        q, k, v, out, lse, cu, rng, unused = ctx.saved_tensors
        n = ctx.longest
        dq, dk, dv = torch.ops.aten._flash_attention_backward(
            g.contiguous(), q, k, v, out, lse, cu, cu, n, n, 0.0, True, rng, unused
        )
        return dq, dk, dv, None, None


def attend_plain(q, k, v, cu):
    """The same by a mask of documents, for CPUs and for checking the fast one."""
    t, group = q.shape[0], q.shape[1] // k.shape[1]
    doc = torch.bucketize(torch.arange(t, device=q.device), cu, right=True)
    mask = (doc[:, None] == doc[None, :]).tril()
    q, k, v = q.transpose(0, 1), k.repeat_interleave(group, 1).transpose(0, 1), v.repeat_interleave(group, 1).transpose(0, 1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(0, 1)


def rotary(c: Config, device) -> tuple[torch.Tensor, torch.Tensor]:
    half = c.head_dim // 2
    freq = c.theta ** (-torch.arange(half, device=device, dtype=torch.float32) / half)
    angle = torch.arange(c.context, device=device, dtype=torch.float32)[:, None] * freq[None, :]
    return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)


def before(x, norm, wq, wk, wv, cos, sin, dim: int, eps: float):
    """What stands before attention: the norm, the three projections, the rotation. The last axis but one becomes heads."""
    d, shape = x.dtype, (*x.shape[:-1], -1, dim)
    h = F.rms_norm(x, (x.shape[-1],), norm.to(d), eps)
    q, k, v = (F.linear(h, w.to(d)).view(shape) for w in (wq, wk, wv))
    return rotate(q, cos, sin), rotate(k, cos, sin), v


def after(x, attended, wo, norm, wg, wu, wd, eps: float):
    """What follows attention: the output projection and the SwiGLU block, each added to the stream."""
    d = x.dtype
    x = x + F.linear(attended.flatten(-2), wo.to(d))
    h = F.rms_norm(x, (x.shape[-1],), norm.to(d), eps)
    return x + F.linear(F.silu(F.linear(h, wg.to(d))) * F.linear(h, wu.to(d)), wd.to(d))


def logits(x, norm, embed, eps: float):
    return F.linear(F.rms_norm(x, (x.shape[-1],), norm.to(x.dtype), eps), embed.to(x.dtype))


def loss(x, norm, embed, target, weight, eps: float):
    """Cross-entropy over the tokens that carry weight."""
    each = F.cross_entropy(logits(x, norm, embed, eps).float(), target, reduction="none")
    return (each * weight).sum() / weight.sum().clamp(min=1)


class Layer(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        q, kv = c.heads * c.head_dim, c.kv_heads * c.head_dim
        self.norm1 = nn.Parameter(torch.ones(c.width))
        self.norm2 = nn.Parameter(torch.ones(c.width))
        self.q = nn.Parameter(torch.empty(q, c.width))
        self.k = nn.Parameter(torch.empty(kv, c.width))
        self.v = nn.Parameter(torch.empty(kv, c.width))
        self.o = nn.Parameter(torch.zeros(c.width, q))
        self.gate = nn.Parameter(torch.empty(c.ffn, c.width))
        self.up = nn.Parameter(torch.empty(c.ffn, c.width))
        self.down = nn.Parameter(torch.zeros(c.width, c.ffn))
        for w in (self.q, self.k, self.v, self.gate, self.up):
            nn.init.normal_(w, std=0.5 * c.width**-0.5)


class Nano(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.c = c
        self.embed = nn.Parameter(torch.empty(c.vocab, c.width))
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.layers))
        self.norm = nn.Parameter(torch.ones(c.width))
        self.before, self.after, self.loss = before, after, loss
        nn.init.normal_(self.embed, std=0.02)

    def compile(self):
        """Compiles the parts around attention; one compilation serves all layers."""
        self.before = torch.compile(before, dynamic=False)
        self.after = torch.compile(after, dynamic=False)
        self.loss = torch.compile(loss, dynamic=False)

    def stream(self, ids, position, cu, longest: int, cos, sin, fast: bool):
        c = self.c
        x = F.embedding(ids, self.embed).to(torch.bfloat16 if fast else torch.float32)
        cos, sin = cos[position][:, None, :], sin[position][:, None, :]
        for w in self.layers:
            q, k, v = self.before(x, w.norm1, w.q, w.k, w.v, cos, sin, c.head_dim, c.eps)
            a = Varlen.apply(q, k, v, cu, longest) if fast else attend_plain(q, k, v, cu)
            x = self.after(x, a, w.o, w.norm2, w.gate, w.up, w.down, c.eps)
        return x

    def forward(self, ids, position, cu, longest, cos, sin, target, weight, fast: bool):
        """Mean loss of one flat row of documents; `cu` holds where each begins, and the row's length last."""
        x = self.stream(ids, position, cu, longest, cos, sin, fast)
        return self.loss(x, self.norm, self.embed, target, weight, self.c.eps)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Every weight by its name in Hugging Face's Llama."""
        out = {"model.embed_tokens.weight": self.embed, "model.norm.weight": self.norm}
        for i, w in enumerate(self.layers):
            p = f"model.layers.{i}."
            out |= {
                p + "input_layernorm.weight": w.norm1,
                p + "post_attention_layernorm.weight": w.norm2,
                p + "self_attn.q_proj.weight": w.q,
                p + "self_attn.k_proj.weight": w.k,
                p + "self_attn.v_proj.weight": w.v,
                p + "self_attn.o_proj.weight": w.o,
                p + "mlp.gate_proj.weight": w.gate,
                p + "mlp.up_proj.weight": w.up,
                p + "mlp.down_proj.weight": w.down,
            }
        return out
