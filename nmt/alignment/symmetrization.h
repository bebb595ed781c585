// Links of words in both directions, joined to one set.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

/// The links that are kept.
enum class Symmetrization {
  kForward,           // those of each target word
  kReverse,           // those of each source word
  kIntersection,      // those of both
  kUnion,             // those of either
  kGrowDiag,          // the intersection, and of the union the neighbours of links kept that reach
                      // a word without a link (Koehn et al. 2003, section 3.1)
  kGrowDiagFinalAnd,  // these, and those of the union between two words without a link (Koehn et
                      // al. 2005)
};

/// "forward", "reverse", "intersection", "union", "grow-diag" or "grow-diag-final-and". Throws
/// ConfigError listing them.
Symmetrization parse_symmetrization(const std::string& name);

/// In the order of the source words, each link once. Of two new links that exclude each other the
/// one that comes first in that order is kept; in the last step of kGrowDiagFinalAnd, one of
/// `forward`.
std::vector<WordPair> symmetrized(std::span<const WordPair> forward,
                                  std::span<const WordPair> reverse, Symmetrization symmetrization);

}  // namespace dietmt::nmt
