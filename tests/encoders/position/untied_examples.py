"""Worked examples of encodings with an untied [CLS], in plain NumPy: adds them to positions.json.

    python3 untied_examples.py           writes the cases below into positions.json
    python3 untied_examples.py --check   computes them again; exit status 0 if the file has them

Written from the formulas (Ke et al. 2021, eq. 9 and section 5), with every score of every pair.
Inputs, sizes and the meaning of the fields are those of the other cases. Gradients are complex-step
derivatives, compared with central differences.
"""
import json
import pathlib
import sys

import numpy as np

PATH = pathlib.Path(__file__).with_name("positions.json")
STEP = 1e-30


def wave(seed, shape, scale=1.0, shift=0.0):
    """Numbers without a pattern that could hide an error: a sine of a quadratic phase."""
    t = np.arange(1, np.prod(shape) + 1, dtype=float)
    return (shift + scale * np.sin(seed + 0.1 * t * (t + 1))).reshape(shape)


class Setting:
    def __init__(self, file):
        dims = file["dims"]
        self.batch, self.n, self.d, self.heads = (dims[k] for k in ("B", "n", "d", "H"))
        self.dh, self.rank, self.lengths = dims["dh"], dims["dp"], dims["lengths"]
        self.inputs = {k: np.array(file["inputs"][k]) for k in ("w", "WQ", "WK", "WV")}
        self.weights = np.array(file["inputs"]["G"])
        self.real = np.zeros((self.batch, self.n), dtype=bool)
        for row, length in zip(self.real, self.lengths):
            row[:length] = True


def reset(v, theta):
    """Row 0 becomes theta_1, the rest of column 0 theta_2, for v of [.., H, n, n]."""
    heads, n = v.shape[-3], v.shape[-1]
    theta = np.broadcast_to(theta, (heads, 2))
    out = np.array(v, dtype=np.result_type(v, theta))
    for h in range(heads):
        for i in range(n):
            for j in range(n):
                if i == 0:
                    out[..., h, i, j] = theta[h, 0]
                elif j == 0:
                    out[..., h, i, j] = theta[h, 1]
    return out


def by_offset(table):
    """b[.., j - i + n - 1] for each pair."""
    n = (table.shape[-1] + 1) // 2
    return np.stack([table[..., n - 1 - i:2 * n - 1 - i] for i in range(n)], axis=-2)


def bucket(offset):
    """T5's, of 8 buckets up to distance 6: distances 0 and 1, then from 2 and from 4 on."""
    distance = abs(offset)
    near = distance if distance < 2 else 2 if distance * distance < 12 else 3
    return near + (4 if offset > 0 else 0)


def norm(x, gain, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def tupe_positions(s, p):
    """u_i . w_j / sqrt(2 Dh), and theta_1 and theta_2 of each head."""
    def projected(rows, matrix):
        z = norm(rows, p["ln_gamma"], p["ln_beta"]) @ matrix
        return z.reshape(len(rows), s.heads, s.dh)
    scale = (2 * s.dh) ** -0.5
    u, w = projected(p["p"], p["UQ"]), projected(p["p"], p["UK"])
    theta = (projected(p["p_theta"], p["UQ"]) * projected(p["p_theta"], p["UK"])).sum(-1)
    return scale * np.einsum("ihc,jhc->hij", u, w), scale * theta.T


def factored(s, p):
    r = p["r"]
    def projected(matrix):
        return (r @ matrix).reshape(len(r), s.heads, s.dh)
    return (projected(p["FQ"]) * projected(p["FK"])).sum(-1).T


def met(x, vectors, side):
    """x_i . vectors[i, j] (side "i") or x_j . vectors[i, j] ("j"), for vectors of [H, n, n, Dh]."""
    return np.einsum(f"b{side}hc,hijc->bhij", x, vectors)


def attention(s, x, wq, wk, wv, positions, scale, values=0.0):
    """Scores [B, H, n, n] and the heads' outputs side by side. positions: [H, n, n], or what gives
    [B, H, n, n] for queries and keys; values: [n, n, Dh], added to the values of each pair."""
    q, k, v = ((x @ m).reshape(s.batch, s.n, s.heads, s.dh) for m in (wq, wk, wv))
    words = scale * np.einsum("bihc,bjhc->bhij", q, k)
    scores = words + (positions(q, k) if callable(positions) else positions)
    e = np.exp(scores - scores.real.max(-1, keepdims=True)) * s.real[:, None, None, :]
    probabilities = e / e.sum(-1, keepdims=True)
    out = np.einsum("bhij,bjhc->bihc", probabilities, v)
    out = out + np.einsum("bhij,ijc->bihc", probabilities, np.broadcast_to(values, (s.n, s.n, s.dh)))
    return scores, out.reshape(s.batch, s.n, s.d)


class Case:
    """positions(p) and values(p) are for attention(); with `layers`, p holds the numbers of one
    layer."""

    def __init__(self, note, params, positions, scale, at_input=None, layers=False,
                 values=lambda p: 0.0):
        self.note, self.params, self.positions = note, params, positions
        self.scale, self.at_input, self.layers, self.values = scale, at_input, layers, values

    def all_params(self, s):
        if not self.layers:
            return {**s.inputs, **self.params}
        own = {k: wave(seed, (2, s.d, s.d), 0.5) for k, seed in (("WQ", 2), ("WK", 3), ("WV", 4))}
        return {"w": wave(1.0, (s.batch, s.n, s.d)), **own, **self.params}

    def forward(self, s, p):
        x = p["w"] + (p[self.at_input] if self.at_input else 0)
        if not self.layers:
            return attention(s, x, p["WQ"], p["WK"], p["WV"], self.positions(p), self.scale,
                             self.values(p))
        for layer in range(2):
            own = {k: p[k][min(layer, len(p[k]) - 1)] for k in self.params}
            scores, out = attention(s, x, p["WQ"][layer], p["WK"][layer], p["WV"][layer],
                                    self.positions(own), self.scale, self.values(own))
            x = x + out
        return scores, x

    def loss(self, s, p):
        return (self.forward(s, p)[1] * s.weights * s.real[..., None]).sum()


def cases(s):
    n, h, d, dh = s.n, s.heads, s.d, s.dh
    plain, halved = dh ** -0.5, (2 * dh) ** -0.5
    i, j = np.indices((n, n))
    buckets = np.vectorize(bucket)(j - i)
    theta = wave(91.0, (h, 2))
    offsets = wave(31.0, (h, 2 * n - 1))
    tupe = {"p": wave(40.0, (n, d)), "ln_gamma": wave(41.0, (d,), 0.2, 1.0),
            "ln_beta": wave(42.0, (d,), 0.1), "UQ": wave(43.0, (d, d), 0.4),
            "UK": wave(44.0, (d, d), 0.4), "p_theta": wave(45.0, (2, d))}
    vectors = {"r": wave(92.0, (2 * n - 1, d), 0.5), "FQ": wave(93.0, (d, d), 0.4),
               "FK": wave(94.0, (d, d), 0.4)}
    low_rank = {"PQ": wave(51.0, (h, n, s.rank)), "PK": wave(52.0, (h, n, s.rank))}
    free = {"v": wave(95.0, (h, n, n))}

    clip = 2
    clipped = np.clip(j - i, -clip, clip) + clip
    shaw = {"aK": wave(20.0, (2 * clip + 1, dh), 0.5), "aV": wave(21.0, (2 * clip + 1, dh), 0.5)}
    both = {"D": wave(22.0, (2 * n - 1, dh), 0.5)}
    span = 3
    disentangled = {"Prel": wave(23.0, (2 * span, d), 0.5), "WKr": wave(24.0, (d, d), 0.4),
                    "WQr": wave(25.0, (d, d), 0.4)}
    xl = {"WR": wave(26.0, (d, d), 0.4), "u": wave(27.0, (h, dh), 0.5), "vb": wave(28.0, (h, dh), 0.5)}
    shared_theta = wave(91.0, (1, 2))
    third = (3 * dh) ** -0.5
    angles = (i - j)[..., None] * 10000.0 ** (-2 * np.arange(d // 2) / d)
    sinusoids = np.concatenate([np.sin(angles), np.cos(angles)], -1)  # [n, n, D]

    def heads_of(rows):  # [n, n, D] -> [H, n, n, Dh]
        return rows.reshape(n, n, h, dh).transpose(2, 0, 1, 3)

    def for_heads(rows):  # [n, n, Dh] -> [H, n, n, Dh]
        return np.broadcast_to(rows, (h, n, n, dh))

    def untied_shaw(p):
        keys = for_heads(p["aK"][clipped])
        return lambda q, k: reset(plain * met(q, keys, "i"), p["theta"])

    def untied_both(p):
        vectors = for_heads(p["D"][j - i + n - 1])
        return lambda q, k: reset(plain * (met(q, vectors, "i") + met(k, vectors, "j")), p["theta"])

    def untied_deberta(p):
        def projected(offsets, matrix):
            return heads_of(p["Prel"][np.clip(offsets + span, 0, 2 * span - 1)] @ matrix)
        keys, queries = projected(i - j, p["WKr"]), projected(j - i, p["WQr"])
        return lambda q, k: reset(third * (met(q, keys, "i") + met(k, queries, "j")), p["theta"])

    def untied_xl(p):
        keys = heads_of(sinusoids @ p["WR"])
        def scores(q, k):
            words = np.einsum("hc,bjhc->bhj", p["u"], k)[:, :, None, :]
            return plain * words + reset(plain * met(q + p["vb"], keys, "i"), p["theta"])
        return scores

    def product(p):
        return np.einsum("hir,hjr->hij", p["PQ"], p["PK"])

    def untied_tupe(p):
        v, thetas = tupe_positions(s, p)
        return reset(v + by_offset(factored(s, p)), thetas)

    return {
        "diet_rel_untied": Case(
            "scalars b[h, j-i+n-1]; theta [H, 2] in row 0 and column 0",
            {"b": offsets, "theta": theta}, lambda p: reset(by_offset(p["b"]), p["theta"]), plain),
        "t5_bucket_untied": Case(
            "table [8 buckets, H], max distance 6",
            {"b": wave(30.0, (8, h)), "theta": theta},
            lambda p: reset(p["b"][buckets].transpose(2, 0, 1), p["theta"]), plain),
        "bert_r_untied": Case(
            "learned absolute at the input; the scalars are reset",
            {"P": wave(10.0, (n, d), 0.5), "b": offsets, "theta": theta},
            lambda p: reset(by_offset(p["b"]), p["theta"]), plain, at_input="P"),
        "alibi_untied": Case(
            "- 2^(-8(h+1)/H) |i-j|", {"theta": theta},
            lambda p: reset(-abs(j - i) * 2.0 ** (-8 * (np.arange(h) + 1) / h)[:, None, None],
                            p["theta"]), plain),
        "kerple_untied": Case(
            "- r1 log(1 + r2 |i-j|) per head",
            {"r1": wave(70.0, (h,), 0.3, 1.0), "r2": wave(71.0, (h,), 0.3, 1.0), "theta": theta},
            lambda p: reset(-p["r1"][:, None, None] * np.log(1 + p["r2"][:, None, None] * abs(j - i)),
                            p["theta"]), plain),
        "diet_abs_untied": Case(
            "P_Q P_K^T of rank 3", {**low_rank, "theta": theta},
            lambda p: reset(product(p), p["theta"]), plain),
        "tupe_free": Case("a free number for each pair", free, lambda p: p["v"], halved),
        "tupe_free_untied": Case(
            "a free number for each pair; theta [H, 2]", {**free, "theta": theta},
            lambda p: reset(p["v"], p["theta"]), halved),
        "tupe_r_factors": Case(
            "b = (r F^Q) . (r F^K), r by j-i+n-1, inside the reset", {**tupe, **vectors},
            untied_tupe, halved),
        "tupe_r_factors_tie_cls": Case(
            "as tupe_r_factors without the reset",
            {**{k: v for k, v in tupe.items() if k != "p_theta"}, **vectors},
            lambda p: tupe_positions(s, {**p, "p_theta": tupe["p_theta"]})[0]
            + by_offset(factored(s, p)), halved),
        "shaw_untied": Case(
            "aK, aV [2t+1, Dh], t = 2; q . aK is reset, aV stays; theta [1, 2]",
            {**shaw, "theta": shared_theta}, untied_shaw, plain, values=lambda p: p["aV"][clipped]),
        "relative_key_query_untied": Case(
            "(q_i . D[j-i+n-1] + k_j . D[j-i+n-1]) / sqrt(Dh); theta [1, 2]",
            {**both, "theta": shared_theta}, untied_both, plain),
        "deberta_untied": Case(
            "both products of words and positions are reset, span 3",
            {**disentangled, "theta": theta}, untied_deberta, third),
        "transformer_xl_untied": Case(
            "(q_i + vb) . W_R r[i-j] is reset, u . k_j stays", {**xl, "theta": theta},
            untied_xl, plain),
        "stack2_shaw_untied": Case(
            "aK, aV [2 layers, 2t+1, Dh], theta [2 layers, 1, 2]",
            {"aK": wave(29.0, (2, 2 * clip + 1, dh), 0.5),
             "aV": wave(33.0, (2, 2 * clip + 1, dh), 0.5), "theta": wave(91.0, (2, 1, 2))},
            untied_shaw, plain, layers=True, values=lambda p: p["aV"][clipped]),
        "stack2_diet_rel_untied": Case(
            "b [2 layers, H, 2n-1], theta [2 layers, H, 2]",
            {"b": wave(50.0, (2, h, 2 * n - 1)), "theta": wave(91.0, (2, h, 2))},
            lambda p: reset(by_offset(p["b"]), p["theta"]), plain, layers=True),
        "stack2_diet_abs_untied_layer_wise": Case(
            "P_Q, P_K [1, H, n, 3] and theta [1, H, 2], shared by the layers",
            {"PQ": low_rank["PQ"][None], "PK": low_rank["PK"][None], "theta": theta[None]},
            lambda p: reset(product(p), p["theta"]), plain, layers=True),
    }


def gradient(s, case, params, name):
    """The complex-step derivative, and its largest distance from central differences."""
    found, worst = np.zeros(params[name].size), 0.0
    for t in range(found.size):
        def moved(step):
            values = params[name].astype(complex if isinstance(step, complex) else float).ravel()
            values[t] += step
            return case.loss(s, {**params, name: values.reshape(params[name].shape)})
        found[t] = moved(STEP * 1j).imag / STEP
        worst = max(worst, abs((moved(1e-6) - moved(-1e-6)) / 2e-6 - found[t]))
    return found.reshape(params[name].shape), worst


def described(s, case):
    params = case.all_params(s)
    scores, out = case.forward(s, params)
    gradients = {name: gradient(s, case, params, name) for name in params}
    worst = max(gap for _, gap in gradients.values())
    assert worst < 1e-7, worst
    return {"note": case.note, "causal": False, "cross": False,
            "params": {k: v.tolist() for k, v in (params if case.layers else case.params).items()},
            "scores": scores.tolist(), "out": (out * s.real[..., None]).tolist(),
            "loss": float(case.loss(s, params)),
            "grad": {k: g.tolist() for k, (g, _) in gradients.items()},
            "max_dev_from_central_difference": float(worst)}


def is_close(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(is_close(a[k], b[k]) for k in a if "max_dev" not in k)
    if isinstance(a, (list, float)):
        return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-9)
    return a == b


def main():
    file = json.loads(PATH.read_text())
    s = Setting(file)
    made = {name: described(s, case) for name, case in cases(s).items()}
    if sys.argv[1:] == ["--check"]:
        different = [k for k, v in made.items() if not is_close(v, file["cases"].get(k, {}))]
        sys.exit("differ: " + ", ".join(different) if different else 0)
    file["cases"].update(made)
    PATH.write_text(json.dumps(file, separators=(",", ":")))


if __name__ == "__main__":
    main()
