// The structure of an ICU message (unicode/messagepattern.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

struct MessageChoice;

struct MessageItem {
  enum class Kind {
    kText,
    kPlaceholder,  // {name}, {n, number}, and text in apostrophes
    kNumber,       // #, the number of the choice around it
    kChoice,
  };
  Kind kind = Kind::kText;
  std::string text = {};                       // as it is written, except of choices
  const MessageChoice* around = nullptr;       // whose branch it is in
  std::unique_ptr<MessageChoice> choice = {};  // of kChoice
};

using Message = std::vector<MessageItem>;

struct MessageBranch {
  std::string before;    // what is written between it and the branch before
  std::string selector;  // "one", "=0", "male", "0#"
  std::string open;      // between the selector and the message
  Message message;
};

struct MessageChoice {
  enum class Kind { kPlural, kOrdinal, kSelect, kChoiceFormat };
  Kind kind = Kind::kPlural;
  std::string name;  // of the argument
  bool has_offset = false;
  std::vector<MessageBranch> branches;
  std::string end;  // after the last branch

  bool has_number() const { return kind == Kind::kPlural || kind == Kind::kOrdinal; }
};

/// Whether one of the items is a choice.
bool has_choice(const Message& message);

/// nullopt for texts without a word that begins a choice, or with more than `most_choices`; for
/// what MessagePattern refuses; and for quotes without an end.
std::optional<Message> message_tree(std::string_view message, size_t most_choices);

/// The names and types of the arguments, sorted; likewise.
std::optional<std::vector<std::string>> message_arguments(std::string_view message,
                                                          size_t most_choices);

}  // namespace dietmt::service
