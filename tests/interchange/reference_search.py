"""Beam search over another program's model: the search of dietmt and fairseq, written plainly.

A step looks at the 2B best extensions of the open hypotheses. Those among the first B that end are
finished; the first B that do not end stay open. The search ends with B finished hypotheses, or at
the longest length, where all end; the best has the highest mean log-probability.
"""

import math

import torch


def beam_search(next_scores, begin, end, beam, longest):
    """The tokens of the best translation. next_scores(prefixes): log-probabilities [prefixes, V];
    prefixes start with `begin`. longest: tokens, with `end`."""
    open_ones, done = [(0.0, [begin])], []
    for length in range(1, longest + 1):
        scores = next_scores([ids for _, ids in open_ones]).double()
        if length == longest:
            only = torch.full_like(scores, -math.inf)
            only[:, end] = scores[:, end]
            scores = only
        sums = (scores + torch.tensor([total for total, _ in open_ones]).double()[:, None]).flatten()
        values, places = sums.topk(min(2 * beam, len(sums)))
        still_open = []
        for rank, (total, place) in enumerate(zip(values.tolist(), places.tolist())):
            if total == -math.inf or len(still_open) == beam:
                break
            ids = open_ones[place // scores.shape[1]][1] + [place % scores.shape[1]]
            if ids[-1] != end:
                still_open.append((total, ids))
            elif rank < beam:
                done.append((total / length, ids[1:-1]))
        open_ones = still_open
        if len(done) >= beam or not open_ones:
            break
    return max(done, key=lambda found: found[0])[1]
