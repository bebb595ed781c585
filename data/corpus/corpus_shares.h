// The share of an epoch that each corpus gets, and the items it uses: sentence pairs, or examples
// for pre-training.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dietmt::data {

/// Problems with the relative shares of `corpora` corpora, one sentence each. Giving no shares is
/// valid.
std::vector<std::string> weight_problems(std::span<const double> weights, int64_t corpora);

/// Relative shares by temperature sampling: size^(1 / temperature) (Arivazhagan et al. 2019). 1
/// keeps the proportions; a large value makes the shares equal.
std::vector<double> temperature_weights(std::span<const int64_t> sizes, double temperature);

/// How many of `draws` draws each corpus gets: proportional to the weights and rounded to the exact
/// sum (largest remainders up; of equal ones the earlier first).
std::vector<int64_t> shared_out(int64_t draws, std::span<const double> weights);

/// The items of a corpus have an endless order, one shuffled pass after another. Fills `draws` with
/// draws first, first + 1, ...: indices below `size` that depend only on `key` and the draw's
/// number. An empty corpus has no draws. Uses 4 bytes per item while it runs.
void draw_items(int64_t size, uint64_t key, int64_t first, std::span<uint32_t> draws);

/// The items of an epoch, as many as all corpora together and numbered through: corpus c has
/// sizes[c] items and gets the share of its weight, from the draw drawn[c] on. Corpus by corpus;
/// depends only on the arguments.
std::vector<uint32_t> drawn_items(std::span<const int64_t> sizes, std::span<const double> weights,
                                  std::span<const int64_t> drawn, uint64_t seed);

}  // namespace dietmt::data
