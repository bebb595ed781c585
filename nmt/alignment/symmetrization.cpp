#include "nmt/alignment/symmetrization.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

using Links = std::set<WordPair>;

// The links kept, and which words have one.
class KeptLinks {
 public:
  explicit KeptLinks(const Links& links) {
    for (const WordPair& link : links) add(link);
  }

  void add(WordPair link) {
    links_.insert(link);
    sources_.insert(link.source);
    targets_.insert(link.target);
  }

  const Links& links() const { return links_; }
  bool contains(WordPair link) const { return links_.contains(link); }
  bool has_source(WordPair link) const { return sources_.contains(link.source); }
  bool has_target(WordPair link) const { return targets_.contains(link.target); }

 private:
  Links links_;
  std::set<int32_t> sources_;
  std::set<int32_t> targets_;
};

bool has_neighbour(const KeptLinks& kept, WordPair link) {
  for (int32_t s = -1; s <= 1; ++s)
    for (int32_t t = -1; t <= 1; ++t)
      if ((s != 0 || t != 0) && kept.contains({link.source + s, link.target + t})) return true;
  return false;
}

void grow_diagonally(KeptLinks& kept, const Links& candidates) {
  for (bool grew = true; grew;) {
    grew = false;
    for (const WordPair& link : candidates) {
      if (kept.has_source(link) && kept.has_target(link)) continue;
      if (!has_neighbour(kept, link)) continue;
      kept.add(link);
      grew = true;
    }
  }
}

void add_between_free_words(KeptLinks& kept, const Links& candidates) {
  for (const WordPair& link : candidates)
    if (!kept.has_source(link) && !kept.has_target(link)) kept.add(link);
}

}  // namespace

Symmetrization parse_symmetrization(const std::string& name) {
  constexpr std::array<std::pair<const char*, Symmetrization>, 6> kNames = {{
      {"forward", Symmetrization::kForward},
      {"reverse", Symmetrization::kReverse},
      {"intersection", Symmetrization::kIntersection},
      {"union", Symmetrization::kUnion},
      {"grow-diag", Symmetrization::kGrowDiag},
      {"grow-diag-final-and", Symmetrization::kGrowDiagFinalAnd},
  }};
  for (const auto& [known, value] : kNames)
    if (name == known) return value;
  throw ConfigError("unknown symmetrization '" + name +
                    "'; known: forward, reverse, intersection, union, grow-diag, "
                    "grow-diag-final-and");
}

std::vector<WordPair> symmetrized(std::span<const WordPair> forward,
                                  std::span<const WordPair> reverse,
                                  Symmetrization symmetrization) {
  const Links forward_links(forward.begin(), forward.end());
  const Links reverse_links(reverse.begin(), reverse.end());
  Links either = forward_links, both;
  either.insert(reverse.begin(), reverse.end());
  std::set_intersection(forward_links.begin(), forward_links.end(), reverse_links.begin(),
                        reverse_links.end(), std::inserter(both, both.end()));
  const auto list = [](const Links& links) {
    return std::vector<WordPair>(links.begin(), links.end());
  };
  switch (symmetrization) {
    case Symmetrization::kForward:
      return list(forward_links);
    case Symmetrization::kReverse:
      return list(reverse_links);
    case Symmetrization::kIntersection:
      return list(both);
    case Symmetrization::kUnion:
      return list(either);
    case Symmetrization::kGrowDiag:
    case Symmetrization::kGrowDiagFinalAnd:
      break;
  }
  KeptLinks kept(both);
  grow_diagonally(kept, either);
  if (symmetrization == Symmetrization::kGrowDiagFinalAnd) {
    add_between_free_words(kept, forward_links);
    add_between_free_words(kept, reverse_links);
  }
  return list(kept.links());
}

}  // namespace dietmt::nmt
