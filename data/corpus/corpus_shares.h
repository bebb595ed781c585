// The share of an epoch that each corpus gets, and the pairs it uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dietmt::data {

/// The problems of the relative shares of `corpora` corpora, one sentence each. No shares are
/// valid.
std::vector<std::string> weight_problems(std::span<const double> weights, int64_t corpora);

/// Relative shares of corpora of these sizes by temperature sampling: size^(1 / temperature)
/// (Arivazhagan et al. 2019). 1 keeps their proportions, a large value makes them equal.
std::vector<double> temperature_weights(std::span<const int64_t> sizes, double temperature);

/// How many of `draws` draws each corpus gets: in proportion to the weights, rounded to the exact
/// sum (the largest remainders are rounded up, the earlier of two equals first).
std::vector<int64_t> shared_out(int64_t draws, std::span<const double> weights);

/// The pairs of a corpus have an endless order: one shuffled pass after another. Fills `draws` with
/// draws first, first + 1, ...: indices below `size` that depend only on `key` and the number of
/// the draw. A corpus without pairs has no draws. Uses 4 bytes per pair while it runs.
void draw_pairs(int64_t size, uint64_t key, int64_t first, std::span<uint32_t> draws);

}  // namespace dietmt::data
