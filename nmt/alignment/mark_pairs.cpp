#include "nmt/alignment/mark_pairs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "nmt/alignment/mark_syntax.h"

namespace dietmt::nmt {
namespace {

// The open tags that may still find their partners.
class OpenTags {
 public:
  bool has_room() const { return tags_.size() < kMaxDepth; }

  void add(size_t mark, const std::string& name) {
    tags_.emplace_back(mark, name);
    ++count_[name];
  }

  // Closes the last tag with this name; those opened after it stay without a partner.
  std::optional<size_t> close(const std::string& name) {
    const auto count = count_.find(name);
    if (count == count_.end() || count->second == 0) return std::nullopt;
    while (tags_.back().second != name) pop();
    const size_t mark = tags_.back().first;
    pop();
    return mark;
  }

 private:
  void pop() {
    --count_[tags_.back().second];
    tags_.pop_back();
  }

  std::vector<std::pair<size_t, std::string>> tags_;  // marks and names
  std::unordered_map<std::string, int64_t> count_;
};

}  // namespace

void find_partners(std::vector<InlineMark>& marks) {
  OpenTags open;
  std::vector<size_t> points_if_alone;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].kind == InlineMark::Kind::kPoint) continue;
    const MarkSyntax syntax = syntax_of(marks[i].parts.front().text);
    if (syntax.needs_partner) points_if_alone.push_back(i);
    if (syntax.kind == InlineMark::Kind::kOpen) {
      if (open.has_room())
        open.add(i, syntax.name);
      else
        marks[i].kind = InlineMark::Kind::kPoint;
    } else if (const auto partner = open.close(syntax.name)) {
      marks[*partner].partner = static_cast<int32_t>(i);
      marks[i].partner = static_cast<int32_t>(*partner);
    }
  }
  for (const size_t mark : points_if_alone)
    if (marks[mark].partner < 0) marks[mark].kind = InlineMark::Kind::kPoint;
}

}  // namespace dietmt::nmt
