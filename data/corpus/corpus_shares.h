// How much of an epoch each of several corpora gets, and which of its pairs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dietmt::data {

/// All that is wrong with relative shares of so many corpora, one sentence each; to have none is
/// right.
std::vector<std::string> weight_problems(std::span<const double> weights, int64_t corpora);

/// Relative shares of corpora of these sizes by temperature sampling: size^(1 / temperature)
/// (Arivazhagan et al. 2019). 1 keeps their proportions, a large one makes all alike.
std::vector<double> temperature_weights(std::span<const int64_t> sizes, double temperature);

/// How many of `draws` draws each corpus gets: in proportion to the weights, rounded so that the
/// sum is right (those of the largest remainders get one more, the earlier of two equals).
std::vector<int64_t> shared_out(int64_t draws, std::span<const double> weights);

/// A corpus gives its pairs in an endless order: a shuffled pass over all, then another one. Fills
/// `draws` with the draws number first, first + 1, ...: indices below `size`, a function of `key`
/// and their numbers alone. A corpus without pairs has no draws. Takes 4 bytes a pair meanwhile.
void draw_pairs(int64_t size, uint64_t key, int64_t first, std::span<uint32_t> draws);

}  // namespace dietmt::data
