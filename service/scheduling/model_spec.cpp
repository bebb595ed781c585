#include "service/scheduling/model_spec.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unicode/uloc.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>

#include "common/error.h"
#include "data/text/language_codes.h"
#include "data/text/source_tag.h"
#include "nmt/model/model_files.h"
#include "storage/checkpoint.h"
#include "storage/fetched_models.h"

namespace dietmt::service {
namespace {

struct LanguagePair {
  std::string source;
  std::string target;
};

constexpr const char* kCode = "[a-z]{2,3}(?:_[A-Za-z0-9]{2,4})*";
constexpr const char* kAnyTarget = "*";

std::optional<LanguagePair> whole_pair(const std::string& text) {
  static const std::regex pair("(" + std::string(kCode) + ")-(" + kCode + "|\\*)");
  std::smatch match;
  if (!std::regex_match(text, match, pair)) return std::nullopt;
  return LanguagePair{match[1], match[2]};
}

// Whether ICU has a name for the code's language.
bool is_language(const std::string& code) {
  constexpr int32_t kLongest = 100;
  std::array<UChar, kLongest> name{};
  UErrorCode status = U_ZERO_ERROR;
  uloc_getDisplayLanguage(code.c_str(), "en", name.data(), kLongest, &status);
  return U_SUCCESS(status) && status != U_USING_DEFAULT_WARNING;
}

// Codes that are more often another word in a name: three-letter codes (`new` is Newari), and `mt`,
// which means machine translation more often than Maltese.
int64_t doubtful_codes(const LanguagePair& pair) {
  const auto doubtful = [](const std::string& code) {
    return code == "mt" || code.substr(0, code.find('_')).size() == 3;
  };
  return doubtful(pair.source) + doubtful(pair.target);
}

// The last pair of codes joined by a hyphen in a name such as `opus-mt-en-de` or `news.en-de.big`.
// Of two pairs that share a code, the one with fewer doubtful codes, or else the first.
std::optional<LanguagePair> pair_in_name(const std::string& name) {
  static const std::regex code(kCode);
  static const std::regex word("[^-.]+");
  std::optional<LanguagePair> found;
  std::string previous;
  bool previous_ends_found = false;
  for (std::sregex_iterator it(name.begin(), name.end(), word), end; it != end; ++it) {
    const std::string text = it->str();
    const bool is_code = std::regex_match(text, code) && is_language(text);
    const bool joined = it->position() > 0 && name[static_cast<size_t>(it->position()) - 1] == '-';
    const LanguagePair pair{joined ? previous : "", is_code ? text : ""};
    const bool is_pair = !pair.source.empty() && !pair.target.empty();
    const bool better =
        is_pair && (!previous_ends_found || doubtful_codes(pair) < doubtful_codes(*found));
    if (better) found = pair;
    previous_ends_found = better;
    previous = is_code ? text : "";
  }
  return found;
}

std::optional<LanguagePair> pair_of_directory(const std::filesystem::path& directory) {
  const std::filesystem::path whole = std::filesystem::absolute(directory).lexically_normal();
  for (std::filesystem::path at = whole; at.has_relative_path(); at = at.parent_path()) {
    if (const auto pair = pair_in_name(at.filename().string())) return pair;
  }
  return std::nullopt;
}

// The last name of a path that may end in a slash; of an adapter, without its extension.
std::string last_name(const std::filesystem::path& directory) {
  if (nmt::is_adapter(directory)) return directory.stem().string();
  const std::filesystem::path path = directory.lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::vector<ModelSpec>::iterator named(std::vector<ModelSpec>& specs, const std::string& name) {
  return std::find_if(specs.begin(), specs.end(), [&](const auto& s) { return s.name == name; });
}

std::string names_of(const std::vector<ModelSpec>& specs) {
  std::string names;
  for (const ModelSpec& spec : specs) names += (names.empty() ? "" : ", ") + spec.name;
  return names;
}

std::optional<std::filesystem::path> model_in(const std::filesystem::path& directory) {
  try {
    return storage::resolve_model_directory(directory);
  } catch (const CheckpointError&) {
    return std::nullopt;
  }
}

// The directories that a word of --model refers to: itself, or those in it.
std::vector<std::filesystem::path> model_directories(const std::filesystem::path& directory) {
  if (nmt::is_adapter(directory) || model_in(directory)) return {directory};
  std::vector<std::filesystem::path> models, others;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.is_directory()) (model_in(entry.path()) ? models : others).push_back(entry.path());
  }
  if (models.empty()) return {directory};
  std::sort(models.begin(), models.end());
  for (const auto& path : others)
    spdlog::warn(
        "{} has no model and is left out; see 'dietmt import' for models of other programs",
        path.string());
  return models;
}

void add_own_shortlists(std::vector<ModelSpec>& specs, std::vector<std::string>& problems) {
  bool found = false;
  for (ModelSpec& spec : specs) {
    const auto file = model_in(spec.directory).value_or(spec.directory) / "shortlist.bin";
    if (!std::filesystem::is_regular_file(file)) continue;
    found = true;
    if (spec.shortlist.empty()) spec.shortlist = file;
  }
  if (!found)
    problems.emplace_back("--shortlist auto: none of the model directories has a shortlist.bin");
}

// None if the directory has no model; its loader says what is wrong with others.
std::vector<std::string> languages_in(const std::filesystem::path& directory) {
  const auto model = model_in(directory);
  return model ? nmt::config_in(*model).languages.codes() : std::vector<std::string>();
}

// SRC-TGT=DIR,tag=TAG, where all but DIR may be missing.
struct ModelWord {
  std::string untagged;  // SRC-TGT=DIR
  std::optional<LanguagePair> pair;
  std::string directory;
  std::string tag;
};

ModelWord parts_of(const std::string& word) {
  constexpr std::string_view kTag = ",tag=";
  const size_t end = std::min(word.find(kTag), word.size());
  ModelWord parts;
  parts.untagged = word.substr(0, end);
  if (end < word.size()) parts.tag = word.substr(end + kTag.size());
  const size_t equals = parts.untagged.find('=');
  if (equals != std::string::npos) parts.pair = whole_pair(parts.untagged.substr(0, equals));
  parts.directory = parts.pair ? parts.untagged.substr(equals + 1) : parts.untagged;
  return parts;
}

// For the message about a word whose pair was not understood, which therefore counts as a path.
std::string pair_problem(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == word.npos || parts_of(word).pair) return "";
  return ", and '" + word.substr(0, equals) + "' is no pair of languages such as en-de";
}

bool holds(const std::vector<std::string>& codes, const std::string& code) {
  return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

bool ModelSpec::translates(const std::string& from, const std::string& to) const {
  if (!has_several_pairs()) return source == from && target == to;
  return from != to && holds(sources, from) && holds(targets, to);
}

std::vector<std::string> ModelSpec::source_languages() const {
  return has_several_pairs() ? sources : std::vector{source};
}

std::vector<std::string> ModelSpec::target_languages() const {
  return has_several_pairs() ? targets : std::vector{target};
}

std::string model_in_word(const std::string& word) { return parts_of(word).directory; }

std::vector<ModelSpec> parse_model_specs(const std::vector<std::string>& words) {
  std::vector<std::string> problems;
  std::vector<ModelSpec> specs;
  const auto add_several = [&](const std::string& word, const std::filesystem::path& directory,
                               const std::optional<LanguagePair>& pair, const std::string& tag) {
    const std::vector<std::string> languages = languages_in(directory);
    if (languages.empty() || (pair && pair->target != kAnyTarget)) return false;
    const std::string name = last_name(directory);
    if (named(specs, name) != specs.end())
      problems.push_back("--model " + word + ": there is already a model '" + name + "'");
    const std::vector<std::string> sources = pair ? std::vector{pair->source} : languages;
    specs.push_back({.name = name,
                     .directory = directory,
                     .sources = sources,
                     .targets = languages,
                     .source_tag = tag});
    return true;
  };
  const auto add = [&](const std::string& word, const std::filesystem::path& directory,
                       std::optional<LanguagePair> pair, const std::string& tag) {
    if (add_several(word, directory, pair, tag)) return;
    if (pair && pair->target == kAnyTarget) {
      problems.push_back("--model " + word +
                         ": the model does not list languages (languages in config.json); write "
                         "one --model for each pair");
      return;
    }
    if (!pair) pair = pair_of_directory(directory);
    if (!pair) {
      problems.push_back(
          "--model " + word +
          ": no pair of languages, such as en-de, in the path; write for example en-de=" + word);
      return;
    }
    std::string name = pair->source + "-" + pair->target;
    if (named(specs, name) != specs.end()) name = last_name(directory);
    if (named(specs, name) != specs.end())
      problems.push_back("--model " + word + ": there is already a model '" + name + "'");
    if (!nmt::is_adapter(directory) && !model_in(directory))
      spdlog::warn("--model {}: has no model; requests for it fail until there is one", word);
    specs.push_back({.name = name,
                     .source = pair->source,
                     .target = pair->target,
                     .directory = directory,
                     .source_tag = tag});
  };
  for (const std::string& whole_word : words) {
    const auto [word, pair, path, tag] = parts_of(whole_word);
    if (const std::string problem = tag.empty() ? "" : data::source_tag_problem(tag);
        !problem.empty())
      problems.push_back("--model " + whole_word + ": " + problem);
    std::filesystem::path directory;
    try {
      directory = storage::located_model(path);
    } catch (const CheckpointError& error) {
      problems.push_back("--model " + std::string(error.what()));
      continue;
    }
    const bool is_adapter =
        nmt::is_adapter(directory) && std::filesystem::is_regular_file(directory);
    if (!is_adapter && !std::filesystem::is_directory(directory))
      problems.push_back("--model " + word + ": no such directory" + pair_problem(word));
    else if (pair)
      add(word, directory, pair, tag);
    else
      for (const auto& one : model_directories(directory))
        add(one.string(), one, std::nullopt, tag);
  }
  throw_if_any(problems);
  for (ModelSpec& spec : specs) spec.search = nmt::config_in(spec.directory).search;
  return specs;
}

void limit_languages(const std::vector<std::string>& languages, std::vector<ModelSpec>& specs) {
  if (languages.empty()) return;
  std::vector<std::string> problems;
  for (const std::string& language : languages) {
    const bool is_known = std::ranges::any_of(specs, [&](const ModelSpec& spec) {
      return holds(spec.sources, data::closest_code(language, spec.sources)) ||
             holds(spec.targets, data::closest_code(language, spec.targets));
    });
    if (!is_known)
      problems.push_back("--languages " + language + ": no model of several languages has it");
  }
  throw_if_any(problems);
  const auto limit = [&](std::vector<std::string>& codes) {
    std::vector<std::string> kept;
    for (const std::string& language : languages) {
      const std::string code = data::closest_code(language, codes);
      if (holds(codes, code) && !holds(kept, code)) kept.push_back(code);
    }
    codes = kept;
  };
  for (ModelSpec& spec : specs) {
    if (!spec.has_several_pairs()) continue;
    limit(spec.sources);
    limit(spec.targets);
  }
}

int64_t model_bytes(const ModelSpec& spec) {
  namespace fs = std::filesystem;
  const bool is_adapter = nmt::is_adapter(spec.directory);
  std::error_code error;
  int64_t sum = 0;
  const auto add = [&](const fs::path& file) {
    const uintmax_t bytes = fs::file_size(file, error);
    if (!error) sum += static_cast<int64_t>(bytes);
  };
  if (!spec.shortlist.empty()) add(spec.shortlist);
  if (is_adapter) add(spec.directory);
  try {
    const fs::path directory = storage::resolve_model_directory(
        is_adapter ? fs::absolute(spec.directory).parent_path() : spec.directory);
    for (const fs::directory_entry& file : fs::directory_iterator(directory)) {
      const fs::path& path = file.path();
      const bool is_read = path.extension() == ".safetensors" || path.extension() == ".model";
      if (is_read && path.stem() != "training") add(path);  // that is the optimiser's
    }
  } catch (const std::exception&) {
    // Loading the model says what is wrong.
  }
  return sum;
}

std::string memory_problem(const std::string& name, int64_t bytes, int64_t limit) {
  if (limit == 0 || bytes <= limit) return {};
  return fmt::format("{} needs {} MB of memory: raise --model-memory, which is {}", name,
                     (bytes + (1 << 20) - 1) >> 20, limit >> 20);
}

void add_shortlists(const std::vector<std::string>& words, std::vector<ModelSpec>& specs) {
  std::vector<std::string> problems;
  for (const std::string& word : words) {
    if (word == "auto") {
      add_own_shortlists(specs, problems);
      continue;
    }
    const size_t equals = word.find('=');
    auto spec = specs.end();
    if (equals != std::string::npos) spec = named(specs, word.substr(0, equals));
    const std::filesystem::path file = spec != specs.end() ? word.substr(equals + 1) : word;
    if (spec == specs.end() && specs.size() == 1) spec = specs.begin();
    if (spec == specs.end())
      problems.push_back("--shortlist " + word + ": write MODEL=FILE with one of the models " +
                         names_of(specs));
    else if (!std::filesystem::is_regular_file(file))
      problems.push_back("--shortlist " + word + ": no such file");
    else if (!spec->shortlist.empty())
      problems.push_back("--shortlist " + word + ": model " + spec->name +
                         " already has a shortlist");
    else
      spec->shortlist = file;
  }
  throw_if_any(problems);
}

}  // namespace dietmt::service
