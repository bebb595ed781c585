// Combines word links in both directions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

/// The links that are kept.
enum class Symmetrization {
  kForward,       // those of each target word
  kReverse,       // those of each source word
  kIntersection,  // those in both
  kUnion,         // those in either
  kGrowDiag,  // the intersection, plus neighbours in the union that reach an unlinked word (Koehn
              // et al. 2003, section 3.1)
  kGrowDiagFinalAnd,  // in addition, links of the union between two unlinked words (Koehn et al.
                      // 2005)
};

/// "forward", "reverse", "intersection", "union", "grow-diag" or "grow-diag-final-and". Throws
/// ConfigError listing them.
Symmetrization parse_symmetrization(const std::string& name);

/// In order of source words, each link once. If two new links exclude each other, the first in that
/// order is kept; in the last step of kGrowDiagFinalAnd, one from `forward`.
std::vector<WordPair> symmetrized(std::span<const WordPair> forward,
                                  std::span<const WordPair> reverse, Symmetrization symmetrization);

}  // namespace dietmt::nmt
