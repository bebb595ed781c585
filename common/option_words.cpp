#include "common/option_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/error.h"

namespace dietmt {
namespace {

constexpr std::pair<std::string_view, char> kLetters[] = {
    {"beam", 'b'},   {"device", 'd'},  {"help", 'h'},   {"input", 'i'},
    {"inputs", 'i'}, {"model", 'm'},   {"nbest", 'n'},  {"output", 'o'},
    {"source", 's'}, {"threads", 't'}, {"version", 'v'}};

bool is_number(char c) { return (c >= '0' && c <= '9') || c == '.'; }

// "-" is standard input and "-5" is a value.
bool looks_like_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !is_number(word[1]);
}

// How one word of the command line reads as an option.
struct NamedOption {
  const OptionShape* shape = nullptr;
  bool negated = false;
  std::string typed;
  std::optional<std::string> value;  // after "=", or a number after the letter
};

class WordReader {
 public:
  WordReader(const std::vector<std::string>& arguments, const std::vector<OptionShape>& shapes)
      : arguments_(arguments), shapes_(shapes) {}

  bool done() const { return next_ == arguments_.size(); }

  // Reads an option with its values, or a word that belongs to none.
  GivenOption read(const std::function<std::string(std::string)>& unknown) {
    const std::string& word = arguments_[next_++];
    if (!only_words_ && word == "--") {
      only_words_ = true;
      return {};
    }
    if (only_words_ || !looks_like_option(word)) return {"", word, {word}};
    const NamedOption option = named_by(word);
    if (option.shape == nullptr) throw ConfigError(unknown(option.typed));
    return {option.shape->name, option.typed, values_of(option)};
  }

 private:
  template <typename Matches>
  const OptionShape* find(const Matches& matches) const {
    const auto found = std::ranges::find_if(shapes_, matches);
    return found == shapes_.end() ? nullptr : &*found;
  }
  const OptionShape* flag(std::string_view name) const {
    return find([&](const OptionShape& shape) {
      return shape.name == name && shape.values == OptionShape::Values::kFlag;
    });
  }

  NamedOption named_by(const std::string& word) const {
    NamedOption option;
    const size_t equals = std::min(word.find('='), word.size());
    option.typed = word.substr(0, equals);
    if (equals < word.size()) option.value = word.substr(equals + 1);
    if (word.starts_with("--")) {
      const std::string name = option.typed.substr(2);
      option.shape = find([&](const OptionShape& shape) { return shape.name == name; });
      if (option.shape != nullptr) return option;
      option.negated = true;
      option.shape = name.starts_with("no-") ? flag(name.substr(3)) : flag("no-" + name);
      return option;
    }
    if (option.typed.size() > 2 && is_number(option.typed[2]) && !option.value) {
      option.value = option.typed.substr(2);
      option.typed.resize(2);
    }
    if (option.typed.size() == 2)
      option.shape = find(
          [&](const OptionShape& shape) { return option_letter(shape.name) == option.typed[1]; });
    return option;
  }

  bool names_option(const std::string& word) const {
    return looks_like_option(word) && named_by(word).shape != nullptr;
  }

  std::vector<std::string> values_of(const NamedOption& option) {
    if (option.shape->values == OptionShape::Values::kFlag) {
      bool value = true;
      if (option.value && !read_word(*option.value, value)) return {*option.value};
      return {value != option.negated ? "true" : "false"};
    }
    std::vector<std::string> values;
    if (option.value) {
      values.push_back(*option.value);
    } else {
      // A value may begin with a hyphen unless it names an option.
      if (done() || arguments_[next_] == "--" || names_option(arguments_[next_]))
        throw ConfigError(option.typed + " needs a value: " + option.typed + " " +
                          option.shape->placeholder);
      values.push_back(arguments_[next_++]);
    }
    if (option.shape->values == OptionShape::Values::kSeveral)
      while (!done() && !looks_like_option(arguments_[next_]))
        values.push_back(arguments_[next_++]);
    return values;
  }

  const std::vector<std::string>& arguments_;
  const std::vector<OptionShape>& shapes_;
  size_t next_ = 0;
  bool only_words_ = false;  // after "--"
};

}  // namespace

char option_letter(std::string_view name) {
  for (const auto& [known, letter] : kLetters)
    if (known == name) return letter;
  return '\0';
}

std::vector<GivenOption> given_options(const std::vector<std::string>& arguments,
                                       const std::vector<OptionShape>& shapes,
                                       const std::function<std::string(std::string)>& unknown) {
  std::vector<GivenOption> given;
  WordReader reader(arguments, shapes);
  while (!reader.done())
    if (GivenOption option = reader.read(unknown); !option.values.empty())
      given.push_back(std::move(option));
  return given;
}

bool read_word(const std::string& word, bool& value) {
  constexpr std::array kTrue = {"true", "yes", "on", "1"};
  constexpr std::array kFalse = {"false", "no", "off", "0"};
  value = std::ranges::find(kTrue, word) != kTrue.end();
  return value || std::ranges::find(kFalse, word) != kFalse.end();
}

}  // namespace dietmt
