#include "service/documents/message_forms.h"

#include <algorithm>
#include <utility>

namespace dietmt::service {
namespace {

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Some programs take "=1" for another way to write "one".
std::string category_of(const std::string& selector) {
  if (selector == "=0") return "zero";
  if (selector == "=1") return "one";
  return selector == "=2" ? "two" : selector;
}

}  // namespace

MessageForms::MessageForms(const std::string& source, const std::string& target)
    : cardinals_{plural_categories(source), plural_categories(target)},
      ordinals_{plural_categories(source, PluralKind::kOrdinal),
                plural_categories(target, PluralKind::kOrdinal)} {}

std::vector<MessageForms::Branch> MessageForms::branches_of(const MessageChoice& choice) const {
  std::vector<Branch> branches;
  if (!choice.has_number()) {
    for (const MessageBranch& branch : choice.branches)
      branches.push_back({&branch, branch.selector});
    return branches;
  }
  const auto& [known, wanted] =
      choice.kind == MessageChoice::Kind::kOrdinal ? ordinals_ : cardinals_;
  std::vector<std::string> added = missing(choice, wanted);
  for (const MessageBranch& branch : choice.branches) {
    if (is_among(branch.selector, known) && !is_among(branch.selector, wanted)) continue;
    if (branch.selector == "other" && !has_choice(branch.message))
      for (std::string& category : std::exchange(added, {}))
        branches.push_back({&branch, std::move(category)});
    branches.push_back({&branch, branch.selector});
  }
  return branches;
}

std::vector<std::string> MessageForms::missing(const MessageChoice& choice,
                                               std::vector<std::string> wanted) {
  for (const MessageBranch& branch : choice.branches)
    std::erase(wanted, category_of(branch.selector));
  return wanted;
}

}  // namespace dietmt::service
