#include "nmt/search/selection.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace dietmt::nmt {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr auto kBefore = [](const Candidate& a, const Candidate& b) { return a.before(b); };

}  // namespace

bool Candidate::before(const Candidate& other) const {
  if (sum != other.sum) return sum > other.sum;
  return std::tie(beam, token) < std::tie(other.beam, other.token);
}

Selection::Selection(size_t count) : count_(count) { heap_.reserve(count + 1); }

double Selection::threshold() const {
  return heap_.size() < count_ ? kMinusInfinity : heap_.front().sum;
}

void Selection::offer(const Candidate& candidate) {
  if (candidate.sum == kMinusInfinity) return;
  if (heap_.size() == count_ && !candidate.before(heap_.front())) return;
  heap_.push_back(candidate);
  std::push_heap(heap_.begin(), heap_.end(), kBefore);
  if (heap_.size() <= count_) return;
  std::pop_heap(heap_.begin(), heap_.end(), kBefore);
  heap_.pop_back();
}

const std::vector<Candidate>& Selection::sorted() {
  std::sort(heap_.begin(), heap_.end(), kBefore);
  return heap_;
}

}  // namespace dietmt::nmt
