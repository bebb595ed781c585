// The branches that a choice of an ICU message gets in the target language.
#pragma once

#include <string>
#include <vector>

#include "service/documents/message_tree.h"
#include "service/documents/plural_categories.h"

namespace dietmt::service {

class MessageForms {
 public:
  MessageForms(const std::string& source, const std::string& target);

  struct Branch {
    const MessageBranch* original;
    std::string selector;
  };

  /// Plural categories are those of the target language: the others of the source language are left
  /// out, and missing ones are copies of "other" if that contains no choice. A "one" that does not
  /// show the number becomes "=1" where the target's "one" has other numbers too.
  std::vector<Branch> branches_of(const MessageChoice& choice) const;

 private:
  struct Categories {
    std::vector<std::string> source;
    std::vector<std::string> target;
  };

  bool is_of_1_only(const MessageChoice& choice, const MessageBranch& branch) const;
  static std::vector<std::string> missing(const MessageChoice& choice,
                                          std::vector<std::string> wanted);

  Categories cardinals_;
  Categories ordinals_;
  bool one_is_of_several_;
};

}  // namespace dietmt::service
