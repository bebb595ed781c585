#include "data/cleaning/rules_file.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "common/text_io.h"
#include "data/languages/detection.h"

namespace dietmt::data {
namespace {

// OpusFilter's names of what a step or a filter may have that is no parameter of a rule.
constexpr std::array kOfSteps = {"inputs", "outputs", "output", "filterfalse",
                                 "limit",  "hash",    "overlap"};

constexpr const char* kDefaultRules =
    R"(# Remove a rule or change its parameters; docs/cleaning.md lists all.
- EncodingFilter
- LengthFilter: {unit: word, min_length: 1, max_length: 250}
- LengthFilter: {name: LengthFilter.char, unit: char, min_length: 1, max_length: 2000}
- LengthRatioFilter: {unit: width, threshold: 3, slack: 15}
- LongWordFilter: {threshold: 100}
- AlphabetRatioFilter: {threshold: 0.5, exclude_whitespace: true}
- HtmlTagFilter: {entities: true}
- RepetitionFilter
- NonZeroNumeralsFilter: {threshold: 0.5}
- no_identical
)";
constexpr const char* kLanguageRules = R"(- CharacterScoreFilter: {thresholds: 0.5}
)";
constexpr const char* kLastRules = R"(- remove_duplicates
)";

// Without sides in languages that CLD2 does not know.
std::string language_rule(const PairFacts& languages) {
  const bool source = can_identify(languages.source), target = can_identify(languages.target);
  if (source && target) return "- LanguageIDFilter\n";
  if (!source && !target) return "";
  return std::string("- LanguageIDFilter: {thresholds: ") + (source ? "[0, -1]" : "[-1, 0]") +
         "}\n";
}

class RulesReader {
 public:
  RulesReader(std::string place, const PairFacts& languages)
      : place_(std::move(place)), languages_(languages) {}

  std::vector<Rule> read(const YAML::Node& document) {
    if (document.IsMap() && document["steps"])
      read_steps(document["steps"]);
    else if (document.IsMap() && document["filters"])
      read_list(document["filters"]);
    else
      read_list(document);
    if (rules_.empty()) throw ConfigError(place_ + ": no rules");
    return std::move(rules_);
  }

 private:
  [[noreturn]] void refuse(const YAML::Node& node, const std::string& problem) const {
    throw ConfigError(place_ + ":" + std::to_string(std::max(node.Mark().line, 0) + 1) + ": " +
                      problem);
  }

  std::string scalar(const YAML::Node& node) const {
    if (!node.IsScalar()) refuse(node, "there must be a single value here");
    return node.Scalar();
  }

  void read_steps(const YAML::Node& steps) {
    if (!steps.IsSequence()) refuse(steps, "steps must be a list");
    for (const YAML::Node& step : steps) {
      if (!step.IsMap() || !step["type"]) refuse(step, "a step has a type and parameters");
      const std::string type = scalar(step["type"]);
      const YAML::Node parameters = step["parameters"];
      if (type == "filter" && parameters && parameters.IsMap() && parameters["filters"])
        read_list(parameters["filters"]);
      else if (type == "remove_duplicates")
        add(step["type"], type, parameters);
    }
  }

  void read_list(const YAML::Node& list) {
    if (!list.IsSequence()) refuse(list, "the rules must be a list: lines that begin with '- '");
    for (const YAML::Node& entry : list) read_entry(entry);
  }

  void read_entry(const YAML::Node& entry) {
    if (entry.IsScalar()) return add(entry, entry.Scalar(), YAML::Node());
    if (!entry.IsMap() || entry.size() == 0) refuse(entry, "there must be the name of a rule here");
    if (entry["filter"]) return add(entry["filter"], scalar(entry["filter"]), entry["parameters"]);
    const auto field = *entry.begin();
    if (entry.size() > 1)
      refuse(entry, "there must be one rule here; indent its parameters below its name");
    add(field.first, scalar(field.first), field.second);
  }

  void add(const YAML::Node& where, const std::string& name, const YAML::Node& parameters) {
    const RuleKind* kind = nullptr;
    try {
      kind = &find_rule_kind(name);
    } catch (const ConfigError& error) {
      refuse(where, error.what());
    }
    if (rules_.size() == kMostRules)
      refuse(where, "more than " + std::to_string(kMostRules) + " rules");
    RuleSettings settings(kind->parameters);
    std::string shown = name;
    if (parameters && !parameters.IsNull()) {
      if (!parameters.IsMap()) refuse(parameters, name + " must have parameters by name");
      for (const auto& field : parameters) set(field.first, field.second, name, settings, shown);
    }
    try {
      rules_.push_back({unique(shown), kind->make(settings, languages_)});
    } catch (const ConfigError& error) {
      refuse(where, name + " " + error.what());
    }
  }

  void set(const YAML::Node& key, const YAML::Node& value, const std::string& rule,
           RuleSettings& settings, std::string& shown) const {
    const std::string name = scalar(key);
    if (name == "name") {
      shown = scalar(value);
      return;
    }
    if (rule == "remove_duplicates" && std::ranges::count(kOfSteps, name) > 0) return;
    // OpusCleaner's switches for its log.
    if ((name == "DEBUG" || name == "LOG") && value.IsScalar() && value.Scalar() == "false") return;
    std::vector<std::string> values;
    if (value.IsSequence())
      for (const YAML::Node& one : value) values.push_back(scalar(one));
    else
      values.push_back(scalar(value));
    try {
      settings.set(name, values);
    } catch (const ConfigError& error) {
      refuse(key, rule + " " + error.what());
    }
  }

  // LengthFilter, LengthFilter.2, ...
  std::string unique(const std::string& name) const {
    const auto is_taken = [&](const std::string& one) {
      return std::ranges::any_of(rules_, [&](const Rule& rule) { return rule.name == one; });
    };
    std::string found = replace_invalid_utf8(name);
    for (int next = 2; is_taken(found); ++next)
      found = replace_invalid_utf8(name) + "." + std::to_string(next);
    return found;
  }

  std::string place_;
  const PairFacts& languages_;
  std::vector<Rule> rules_;
};

std::vector<Rule> rules_from(const std::string& text, const std::string& place,
                             const PairFacts& languages) {
  constexpr size_t kMostBytes = 64 * 1024;  // yaml-cpp takes more than proportional time
  if (text.size() > kMostBytes)
    throw ConfigError(place + ": is longer than " + std::to_string(kMostBytes) + " bytes");
  try {
    return RulesReader(place, languages).read(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw ConfigError(place + ":" + std::to_string(std::max(error.mark.line, 0) + 1) + ": " +
                      error.msg);
  }
}

}  // namespace

std::vector<Rule> read_rules(const std::string& file, const PairFacts& languages) {
  return rules_from(read_file(file), file, languages);
}

std::string default_rules_text(const PairFacts& languages) {
  const bool has_languages = !languages.source.empty() && !languages.target.empty();
  return std::string(kDefaultRules) +
         (has_languages ? kLanguageRules + language_rule(languages) : "") + kLastRules;
}

std::vector<Rule> default_rules(const PairFacts& languages) {
  return rules_from(default_rules_text(languages), "the default rules", languages);
}

}  // namespace dietmt::data
