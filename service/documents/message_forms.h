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
  /// out, and missing ones are copies of "other" if that contains no choice.
  std::vector<Branch> branches_of(const MessageChoice& choice) const;

 private:
  struct Categories {
    std::vector<std::string> source;
    std::vector<std::string> target;
  };

  static std::vector<std::string> missing(const MessageChoice& choice,
                                          std::vector<std::string> wanted);

  Categories cardinals_;
  Categories ordinals_;
};

}  // namespace dietmt::service
