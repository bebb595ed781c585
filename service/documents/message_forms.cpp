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
                plural_categories(target, PluralKind::kOrdinal)},
      one_is_of_several_(one_is_of_several(target)) {}

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
    if (is_of_1_only(choice, branch)) {
      branches.push_back({&branch, "=1"});
      added.insert(added.begin(), branch.selector);
      continue;
    }
    if (branch.selector == "other" && !has_choice(branch.message))
      for (std::string& category : std::exchange(added, {}))
        branches.push_back({&branch, std::move(category)});
    branches.push_back({&branch, branch.selector});
  }
  return branches;
}

bool MessageForms::is_of_1_only(const MessageChoice& choice, const MessageBranch& branch) const {
  const auto shows_number = [&](const MessageItem& item) {
    return item.kind == MessageItem::Kind::kNumber || item.kind == MessageItem::Kind::kChoice ||
           (item.kind == MessageItem::Kind::kPlaceholder &&
            item.text.find(choice.name) != item.text.npos);
  };
  const auto is_plain_other = [](const MessageBranch& one) {
    return one.selector == "other" && !has_choice(one.message);
  };
  return one_is_of_several_ && choice.kind == MessageChoice::Kind::kPlural && !choice.has_offset &&
         branch.selector == "one" && std::ranges::none_of(branch.message, shows_number) &&
         std::ranges::find(choice.branches, "=1", &MessageBranch::selector) ==
             choice.branches.end() &&
         std::ranges::any_of(choice.branches, is_plain_other);
}

std::vector<std::string> MessageForms::missing(const MessageChoice& choice,
                                               std::vector<std::string> wanted) {
  for (const MessageBranch& branch : choice.branches)
    std::erase(wanted, category_of(branch.selector));
  return wanted;
}

}  // namespace dietmt::service
