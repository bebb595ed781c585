"""Worked examples of the analyses in encoders/analysis, in plain NumPy: writes analysis.json.

    python3 analysis_examples.py           writes the file
    python3 analysis_examples.py --check   computes it again; exit status 0 if the file agrees

Every number is computed from its formula in docs/positions.md, pair by pair. A stack of one layer
has width 8, 2 heads and sentences of 5 tokens; its weights are those below, by parameter name.
"""
import json
import pathlib
import sys

import numpy as np

PATH = pathlib.Path(__file__).with_name("analysis.json")
D, H, DH, N, WORDS, POSITIONS, CLIP = 8, 2, 4, 5, 6, 12, 2
EPSILON = 0.01


def wave(seed, shape, scale=1.0, shift=0.0):
    t = np.arange(1, np.prod(shape) + 1, dtype=float)
    return (shift + scale * np.sin(seed + 0.1 * t * (t + 1))).reshape(shape)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ---- matrices -----------------------------------------------------------------------------------

def aiv(a):
    n = len(a)
    inside = 0.0
    for offset in range(1 - n, n):
        diagonal = np.array([a[i, i + offset] for i in range(n) if 0 <= i + offset < n])
        inside += ((diagonal - diagonal.mean()) ** 2).sum()
    return inside / ((a - a.mean()) ** 2).sum()


def shape(a, causal):
    """Attention to neighbours relative to uniform attention, and previous relative to next."""
    n = len(a)
    reach = max(1, n // 16)
    near = uniform = before = after = 0.0
    for i in range(n):
        visible = i + 1 if causal else n
        for j in range(n):
            if abs(i - j) <= reach:
                near += a[i, j]
                uniform += 1 / visible if j < visible else 0
            before += a[i, j] if j < i else 0
            after += a[i, j] if j > i else 0
    return {"near": near / uniform, "direction": None if causal else before / after}


def matrices():
    a = softmax(wave(1, (7, 7), 2.0))
    wide = wave(2, (40, 40))
    causal = np.where(np.tril(np.ones((40, 40), dtype=bool)), wide, -np.inf)
    left, right = wave(3, (6, 2)), wave(4, (2, 6))
    table = wave(5, (5, 4))
    return {
        "attention": a, "aiv": aiv(a), "inner_aiv": aiv(a[1:-1, 1:-1]),
        "wide": softmax(wide), "wide_shape": shape(softmax(wide), False),
        "causal": softmax(causal), "causal_shape": shape(softmax(causal), True),
        "scores": wide, "scores_shape": shape(softmax(wide[1:, 1:]), False),
        "low_rank": left @ right, "rank": 2,
        "singular_values": np.sqrt(np.maximum(
            np.linalg.eigvalsh((left @ right) @ (left @ right).T)[::-1], 0)),
        "table": table,
        "products": np.array([[sum(x * y) for y in table] for x in table]),
    }


# ---- one stack ----------------------------------------------------------------------------------

def weights(spec, embedding_norm):
    w = {"layer0.self_attention.input_weight": wave(10, (3 * D, D), 0.6),
         "layer0.self_attention.input_bias": wave(11, (3 * D,), 0.3)}
    if "learned" in spec:
        w["position.learned.table"] = wave(12, (POSITIONS, D), 0.7)
    if "learnable-sinusoidal" in spec:
        w["position.learnable_sinusoidal.frequencies"] = wave(13, (D // 2,), 0.3, 0.5)
    if "diet-rel" in spec:
        w["position.diet_rel.table"] = wave(14, (1, H, 2 * POSITIONS - 1), 0.8)
    if "diet-abs" in spec:
        w["position.diet_abs.queries"] = wave(15, (1, H, POSITIONS, 1))
        w["position.diet_abs.keys"] = wave(16, (1, H, POSITIONS, 1))
    if "shaw" in spec:
        w["position.shaw.keys"] = wave(17, (1, 1, 2 * CLIP + 1, DH), 0.8)
    if embedding_norm:
        w["embedding_norm.weight"] = wave(18, (D,), 0.3, 1.0)
        w["embedding_norm.bias"] = wave(19, (D,), 0.2)
    return w


class Stack:
    def __init__(self, spec, embedding_norm):
        self.weights = weights(spec, embedding_norm)
        self.norm = embedding_norm
        self.p = np.zeros((N, D))
        if "position.learned.table" in self.weights:
            self.p = self.weights["position.learned.table"][:N]
        if "position.learnable_sinusoidal.frequencies" in self.weights:
            w = self.weights["position.learnable_sinusoidal.frequencies"]
            for i in range(N):
                for m in range(D // 2):
                    self.p[i, 2 * m:2 * m + 2] = np.sin(i * w[m]), np.cos(i * w[m])

    def matrix(self, kind, head):
        """W_Q (kind 0) or W_K (kind 1) of a head: [D, Dh]; and its bias."""
        first = kind * D + head * DH
        return (self.weights["layer0.self_attention.input_weight"][first:first + DH].T,
                self.weights["layer0.self_attention.input_bias"][first:first + DH])

    def inputs(self, words):
        """The words' and the positions' part of the first layer's input."""
        if not self.norm:
            return words, self.p
        gain, bias = self.weights["embedding_norm.weight"], self.weights["embedding_norm.bias"]
        x = words + self.p
        deviation = np.sqrt(x.var(-1, keepdims=True) + EPSILON)

        def part(y):
            return (y - y.mean(-1, keepdims=True)) / deviation * gain
        return part(words) + bias, part(self.p)

    def term(self, head, i, j, q):
        """Terms of the score that depend on positions only, and those that meet the query q."""
        numbers, vectors = 0.0, 0.0
        if "position.diet_rel.table" in self.weights:
            numbers += self.weights["position.diet_rel.table"][0, head, POSITIONS - 1 + j - i]
        if "position.diet_abs.queries" in self.weights:
            numbers += (self.weights["position.diet_abs.queries"][0, head, i]
                        @ self.weights["position.diet_abs.keys"][0, head, j])
        if "position.shaw.keys" in self.weights:
            offset = min(max(j - i, -CLIP), CLIP) + CLIP
            vectors += q @ self.weights["position.shaw.keys"][0, 0, offset] / np.sqrt(DH)
        return numbers, vectors

    def parts(self, words):
        """[4, H, n, n], and the products of whole queries and keys [H, n, n]."""
        x, p = self.inputs(words)
        found, products = np.zeros((4, H, N, N)), np.zeros((H, N, N))
        for h in range(H):
            (wq, bq), (wk, bk) = self.matrix(0, h), self.matrix(1, h)
            qw, qp, kw, kp = x @ wq + bq, p @ wq, x @ wk + bk, p @ wk
            for i in range(N):
                for j in range(N):
                    s = 1 / np.sqrt(DH)
                    numbers, of_words = self.term(h, i, j, qw[i])
                    of_positions = self.term(h, i, j, qp[i])[1]
                    found[:, h, i, j] = (s * qw[i] @ kw[j], s * qw[i] @ kp[j] + of_words,
                                         s * qp[i] @ kw[j],
                                         s * qp[i] @ kp[j] + numbers + of_positions)
            products[h] = (qw + qp) @ (kw + kp).T / np.sqrt(DH)
        return found, products


def rank(matrix):
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > values[0] * len(matrix) * 2.0 ** -23).sum())


def stack_case(spec, embedding_norm=False):
    stack = Stack(spec, embedding_norm)
    words, ends = wave(20, (WORDS, D)), wave(21, (2, D))
    sentences = [np.array([words[(s + i) % WORDS] for i in range(N)]) for s in range(WORDS)]
    all_parts = np.array([stack.parts(sentence)[0] for sentence in sentences])  # [S, 4, H, n, n]
    first, products = stack.parts(sentences[0])
    shares = np.zeros((4, H))
    for h in range(H):
        whole = all_parts[:, :, h].sum(1).ravel()
        for part in range(4):
            shares[part, h] = np.cov(all_parts[:, part, h].ravel(), whole, ddof=0)[0, 1] / whole.var()

    def probe(framed):
        scores = []
        for word in words:
            sentence = np.array([word] * N)
            if framed:
                sentence[0], sentence[-1] = ends
            scores.append(stack.parts(sentence)[0].sum(0))
        return {"scores": np.mean(scores, 0), "attention": np.mean([softmax(s) for s in scores], 0)}
    case = {"position": spec, "embedding_norm": embedding_norm, "weights": stack.weights,
            "words": words, "ends": ends, "maps": all_parts.mean(0), "shares": shares,
            "rank": [rank(m) for m in first.sum(0)],
            "rank_without_terms": [rank(m) for m in products],
            "probe": probe(False), "framed_probe": probe(True)}
    if stack.p.any():
        projected = [stack.p @ stack.matrix(0, h)[0] @ stack.matrix(1, h)[0].T @ stack.p.T
                     for h in range(H)]
        case["input"] = {"products": stack.p @ stack.p.T, "projected": np.array(projected)}
    return case


def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, list):
        return [plain(v) for v in x]
    return x.tolist() if isinstance(x, (np.ndarray, np.generic)) else x


def made():
    return plain({
        "dims": {"width": D, "heads": H, "length": N, "max_positions": POSITIONS,
                 "norm_epsilon": EPSILON},
        "matrices": matrices(),
        "stacks": [stack_case("learned"), stack_case("learned", True),
                   stack_case("learnable-sinusoidal"), stack_case("diet-rel"),
                   stack_case("learned+diet-rel", True), stack_case("diet-abs(rank=1)"),
                   stack_case(f"learned+shaw(clip={CLIP},values=false)", True)],
    })


def is_close(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(is_close(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(is_close, a, b))
    return abs(a - b) < 1e-9 if isinstance(a, float) else a == b


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if is_close(made(), json.loads(PATH.read_text())) else "analysis.json differs")
    PATH.write_text(json.dumps(made(), separators=(",", ":")))
