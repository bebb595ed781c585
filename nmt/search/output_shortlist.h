// Which target tokens the output layer computes for a sentence (docs/shortlist.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace dietmt::nmt {

/// Sets `tokens` to those that translations of `source` may have, ascending and without repetition;
/// a decoder adds end of sentence and the tokens of a given prefix. No others than end of sentence
/// stand for all. Called by several threads.
using OutputShortlist =
    std::function<void(std::span<const int32_t> source, std::vector<int32_t>& tokens)>;

}  // namespace dietmt::nmt
