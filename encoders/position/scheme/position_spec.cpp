#include "encoders/position/scheme/position_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/options.h"
#include "encoders/position/summary_reset.h"

namespace dietmt::encoders {
namespace {

std::vector<std::string> encodings_for(AttentionSite site) {
  std::vector<std::string> names;
  for (const EncodingRow& row : encoding_table())
    if (row.sites.contains(site)) names.push_back(row.name);
  return names;
}

std::string names_of(AttentionSite site) {
  return fmt::format("{}", fmt::join(encodings_for(site), ", "));
}

std::string hint_for(const std::string& name, AttentionSite site) {
  const std::string hint = suggestion(name, encodings_for(site));
  if (hint.empty()) return "; possible: " + names_of(site);
  return hint + " 'dietmt inspect positions --list' shows all";
}

const char* name_of(AttentionSite site) {
  switch (site) {
    case AttentionSite::kEncoder:
      return "encoders";
    case AttentionSite::kDecoder:
      return "the causal self-attention of a decoder (--decoder-position)";
    case AttentionSite::kCross:
      break;
  }
  return "cross-attention";
}

std::string names_of_options(const EncodingRow& row) {
  std::string names;
  for (const EncodingOption& option : row.options)
    names += (names.empty() ? "" : ", ") + option.name;
  return names.empty() ? "it has no options" : "possible: " + names;
}

class Parser {
 public:
  Parser(const std::string& text, const EncodingContext& context)
      : text_(text), context_(context) {}

  std::vector<EncodingSpec> parse() {
    do {
      parse_part();
    } while (accept('+'));
    if (!at_end()) fail(column(), "expected '+' or the end");
    return std::move(specs_);
  }

 private:
  [[noreturn]] void fail(size_t column, const std::string& problem) const {
    throw position_spec_error(text_, column, problem);
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }

  size_t column() {
    skip_spaces();
    return at_ + 1;
  }

  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const std::string& purpose) {
    if (!accept(c)) fail(column(), std::string("expected '") + c + "' " + purpose);
  }

  bool at_digit() { return !at_end() && std::isdigit(static_cast<unsigned char>(text_[at_])); }

  /// Letters, digits, '-' and '_'.
  std::string word() {
    skip_spaces();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == '_'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  /// A word, or a number that may have a fraction: so the message about it names all of it.
  std::string value_word() {
    std::string text = word();
    while (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      text += "." + word();
    }
    return text;
  }

  void parse_part() {
    const size_t start = column();
    if (text_.compare(at_, 6, "heads[") != 0) {
      specs_.push_back(parse_encoding());
      return;
    }
    at_ += 6;
    do {
      EncodingSpec item = parse_encoding();
      if (item.row->level != EncodingLevel::kHeads)
        fail(item.column,
             "'" + item.row->name + "' acts on " +
                 (item.row->level == EncodingLevel::kInput ? "the embeddings, not on heads"
                                                           : "all heads") +
                 "; write " + item.row->name + "+heads[...]");
      if (!item.row->not_mixed.empty())
        fail(item.column,
             "'" + item.row->name + "' cannot own only some of the heads: " + item.row->not_mixed);
      expect(':', "and the heads of '" + item.row->name + "'");
      do {
        parse_range(item.heads);
      } while (at_digit_after_comma());
      specs_.push_back(std::move(item));
    } while (accept(','));
    expect(']', "after the items of heads[ in column " + std::to_string(start));
  }

  EncodingSpec parse_encoding() {
    const size_t start = column();
    const std::string name = word();
    const EncodingRow* row = find_encoding(name);
    if (row == nullptr)
      fail(start, name.empty() ? "expected an encoding; possible: " + names_of(context_.site)
                               : "no encoding '" + name + "'" + hint_for(name, context_.site));
    if (!row->sites.contains(context_.site))
      fail(start, "'" + name + "' is not defined for " + name_of(context_.site) +
                      "; possible: " + names_of(context_.site));
    EncodingSpec spec{row, OptionValues(row->options), {}, start};
    if (accept('(')) {
      std::set<std::string> given;
      do {
        parse_option(spec, given);
      } while (accept(','));
      expect(')', "after the options of '" + name + "'");
    }
    return spec;
  }

  void parse_option(EncodingSpec& spec, std::set<std::string>& given) {
    const size_t name_column = column();
    const std::string name = word();
    const EncodingOption* option = spec.row->option(name);
    if (option == nullptr)
      fail(name_column,
           "'" + spec.row->name + "' has no option '" + name + "'; " + names_of_options(*spec.row));
    if (!given.insert(name).second) fail(name_column, "'" + name + "' has a value already");
    expect('=', "and a value of '" + name + "': " + option->possible());
    const size_t value_column = column();
    const std::string value = value_word();
    if (!option->accepts(value))
      fail(value_column,
           "'" + value + "' is not a value of '" + name + "'; possible: " + option->possible());
    spec.values.set(name, option->normalized(value));
  }

  bool at_digit_after_comma() {
    const size_t before = at_;
    if (accept(',') && at_digit()) return true;
    at_ = before;
    return false;
  }

  void parse_range(std::vector<int64_t>& heads) {
    const size_t start = column();
    const int64_t first = parse_head();
    const int64_t last = accept('-') ? parse_head() : first;
    if (last < first) fail(start, "a range of heads must run upwards");
    for (int64_t head = first; head <= last; ++head) heads.push_back(head);
  }

  int64_t parse_head() {
    const size_t start = column();
    int64_t head = -1;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), head);
    if (error != std::errc() || head < 0 || head >= context_.heads)
      fail(start, "expected a head from 0 to " + std::to_string(context_.heads - 1));
    at_ = static_cast<size_t>(end - text_.data());
    return head;
  }

  const std::string& text_;
  const EncodingContext& context_;
  size_t at_ = 0;
  std::vector<EncodingSpec> specs_;
};

bool is_none_of_all_heads(const EncodingSpec& spec) {
  return spec.row->name == "none" && spec.heads.empty();
}

void check_repetitions(const std::string& text, const std::vector<EncodingSpec>& specs) {
  for (size_t i = 0; i < specs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const std::string& name = specs[i].row->name;
      const bool owner = specs[i].row->level == EncodingLevel::kHeads;
      if (!owner && specs[j].row == specs[i].row)
        throw position_spec_error(text, specs[i].column, "'" + name + "' is given twice");
    }
    if (is_none_of_all_heads(specs[i]) && specs.size() > 1)
      throw position_spec_error(
          text, specs[i].column,
          "'none' cannot be combined with other encodings outside heads[...]");
  }
}

/// Every head belongs to exactly one encoding of the scores, if there is any.
void check_heads(const std::string& text, const std::vector<EncodingSpec>& specs, int64_t heads) {
  std::vector<const EncodingSpec*> owner(static_cast<size_t>(heads), nullptr);
  bool any = false;
  for (const EncodingSpec& spec : specs) {
    if (spec.row->level != EncodingLevel::kHeads) continue;
    any = true;
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t claims =
          spec.heads.empty() ? 1 : std::count(spec.heads.begin(), spec.heads.end(), head);
      if (claims == 0) continue;
      const EncodingSpec*& present = owner[static_cast<size_t>(head)];
      if (present != nullptr || claims > 1)
        throw position_spec_error(text, spec.column,
                                  "head " + std::to_string(head) + " is claimed by '" +
                                      (present ? present : &spec)->row->name + "' and by '" +
                                      spec.row->name + "'");
      present = &spec;
    }
  }
  const auto free = std::find(owner.begin(), owner.end(), nullptr);
  if (any && free != owner.end())
    throw position_spec_error(text, text.size() + 1,
                              "head " + std::to_string(free - owner.begin()) +
                                  " belongs to no encoding; give it to one, or to 'none'");
}

/// What acts on all heads scores pairs of words.
void check_compression(const std::string& text, const std::vector<EncodingSpec>& specs) {
  const auto compressing = std::ranges::find_if(
      specs, [](const EncodingSpec& spec) { return spec.row->compresses_keys; });
  if (compressing == specs.end()) return;
  for (const EncodingSpec& spec : specs)
    if (spec.row->level == EncodingLevel::kAllHeads)
      throw position_spec_error(text, spec.column,
                                "'" + spec.row->name + "' cannot be combined with '" +
                                    compressing->row->name +
                                    "', which compresses the keys; use --segment-encoding input");
}

void check_conditions(const std::string& text, const std::vector<EncodingSpec>& specs,
                      const EncodingContext& context) {
  for (const EncodingSpec& spec : specs) {
    try {
      spec.row->check(spec.values, spec.own_context(context));
      if (!spec.row->unties_summary(spec.values)) continue;
      require_untied_summary(context);
      if (spec.row->offset_vectors) require_summary_token(context);
    } catch (const ConfigError& error) {
      throw position_spec_error(text, spec.column, "'" + spec.row->name + "': " + error.what());
    }
  }
}

std::string canonical_encoding(const EncodingSpec& spec) {
  std::string options;
  for (const EncodingOption& option : spec.row->options) {
    const std::string& value = spec.values.text(option.name);
    if (value != option.default_value)
      options += (options.empty() ? "" : ",") + option.name + "=" + value;
  }
  return spec.row->name + (options.empty() ? "" : "(" + options + ")");
}

std::string canonical_heads(const std::vector<int64_t>& heads) {
  std::string text;
  for (size_t i = 0; i < heads.size();) {
    size_t end = i + 1;
    while (end < heads.size() && heads[end] == heads[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(heads[i]);
    if (end - i > 1) text += "-" + std::to_string(heads[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace

EncodingContext EncodingSpec::own_context(const EncodingContext& context) const {
  EncodingContext own = context;
  if (!heads.empty()) own.heads = static_cast<int64_t>(heads.size());
  return own;
}

ConfigError position_spec_error(const std::string& text, size_t column,
                                const std::string& problem) {
  return ConfigError("position encoding \"" + text + "\", column " + std::to_string(column) + ": " +
                     problem);
}

std::vector<EncodingSpec> parse_position_spec(const std::string& text,
                                              const EncodingContext& context) {
  std::vector<EncodingSpec> specs = Parser(text, context).parse();
  check_repetitions(text, specs);
  check_heads(text, specs, context.heads);
  check_compression(text, specs);
  for (EncodingSpec& spec : specs) {
    std::sort(spec.heads.begin(), spec.heads.end());
    if (static_cast<int64_t>(spec.heads.size()) == context.heads) spec.heads.clear();
  }
  if (specs.size() > 1) std::erase_if(specs, is_none_of_all_heads);
  // Encodings of the embeddings first, then by first head, then encodings of all heads.
  std::stable_sort(specs.begin(), specs.end(), [](const EncodingSpec& a, const EncodingSpec& b) {
    const auto rank = [](const EncodingSpec& s) {
      if (s.row->level == EncodingLevel::kInput) return int64_t{-1};
      if (s.row->level == EncodingLevel::kAllHeads) return INT64_MAX;
      return s.heads.empty() ? 0 : s.heads.front();
    };
    return rank(a) < rank(b);
  });
  check_conditions(text, specs, context);
  return specs;
}

std::string canonical_position_spec(const std::vector<EncodingSpec>& specs) {
  std::vector<std::string> parts;
  bool in_heads = false;
  for (const EncodingSpec& spec : specs) {
    if (spec.heads.empty()) {
      parts.push_back(canonical_encoding(spec));
      continue;
    }
    const std::string item = canonical_encoding(spec) + ":" + canonical_heads(spec.heads);
    if (in_heads)
      parts.back().insert(parts.back().size() - 1, "," + item);
    else
      parts.push_back("heads[" + item + "]");
    in_heads = true;
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "+") + part;
  return text;
}

}  // namespace dietmt::encoders
