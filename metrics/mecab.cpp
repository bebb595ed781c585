#include <dlfcn.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "common/error.h"
#include "metrics/bleu_tokenizer.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

#ifdef __APPLE__
constexpr const char* kLibrary = "libmecab.2.dylib";
#else
constexpr const char* kLibrary = "libmecab.so.2";
#endif

struct Language {
  const char* name;
  const char* dictionary;
  const char* label;  // in the signature
  const char* packages;
  unsigned words;       // of sacreBLEU's dictionary
  const char* variant;  // in the version of sacreBLEU's MeCab
};

constexpr Language kLanguages[] = {
    {"ja-mecab", "the IPA dictionary", "IPA", "libmecab2 and mecab-ipadic-utf8", 392126, ""},
    {"ko-mecab", "mecab-ko-dic", "KO", "libmecab2 and mecab-ko-dic", 811795, "/ko"},
};

const Language* find_language(const std::string& name) {
  const auto* found = std::find_if(std::begin(kLanguages), std::end(kLanguages),
                                   [&](const Language& language) { return name == language.name; });
  return found == std::end(kLanguages) ? nullptr : found;
}

// The part of MeCab's C interface (mecab.h) that is used here.
struct DictionaryInfo {
  const char* filename;
  const char* charset;
  unsigned size;  // in words
  int type;
  unsigned left_size, right_size;
  unsigned short version;
  DictionaryInfo* next;
};

struct Functions {
  void* (*create)(int, char**);
  void (*destroy)(void*);
  const char* (*parse)(void*, const char*, size_t);
  const char* (*error)(void*);
  const char* (*version)();
  const DictionaryInfo* (*dictionary)(void*);
};

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw ConfigError(std::string(kLibrary) + " lacks " + name);
}

Functions load(const Language& language) {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw ConfigError(std::string("--tokenize ") + language.name + " needs MeCab: " + ::dlerror() +
                      "; install " + language.packages);
  Functions functions = {};
  find(library, "mecab_new", functions.create);
  find(library, "mecab_destroy", functions.destroy);
  find(library, "mecab_sparse_tostr2", functions.parse);
  find(library, "mecab_strerror", functions.error);
  find(library, "mecab_version", functions.version);
  find(library, "mecab_dictionary_info", functions.dictionary);
  return functions;
}

std::shared_ptr<void> open(const Functions& functions, const Language& language,
                           const std::string& dictionary) {
  // Words with spaces between them. A dictionary of the user's needs no settings of the system.
  std::vector<std::string> words = {"mecab", "-Owakati"};
  if (!dictionary.empty()) words.insert(words.end(), {"-r", "/dev/null", "-d", dictionary});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  void* tagger = functions.create(static_cast<int>(arguments.size()), arguments.data());
  if (tagger == nullptr)
    throw ConfigError(
        std::string("--tokenize ") + language.name + ": MeCab cannot open its dictionary" +
        (dictionary.empty() ? "" : " in " + dictionary) + "; it needs " + language.dictionary +
        ": install " + language.packages + ", or name its directory by --mecab-dictionary");
  return {tagger, functions.destroy};
}

// The end of the signature. Distributions add a word or two to a dictionary; another language's has
// another size altogether.
std::string dictionary_label(const DictionaryInfo& info, const Language& language) {
  constexpr unsigned kNear = 100;
  const unsigned difference =
      std::max(info.size, language.words) - std::min(info.size, language.words);
  if (info.next != nullptr || difference > kNear)
    throw ConfigError(std::string("--tokenize ") + language.name + " needs " + language.dictionary +
                      " with " + std::to_string(language.words) + " words, but " + info.filename +
                      " has " + std::to_string(info.size) +
                      (info.next == nullptr ? "" : " and a user dictionary") +
                      "; name its directory by --mecab-dictionary");
  if (difference == 0) return language.label;
  spdlog::warn("{}: {} words, where sacreBLEU's dictionary has {}; scores may differ from its",
               info.filename, info.size, language.words);
  return std::string(language.label) + "-" + std::to_string(info.size);
}

}  // namespace

bool is_mecab_tokenizer(const std::string& name) { return find_language(name) != nullptr; }

GivenTokenizer mecab_tokenizer(const std::string& name, const std::string& dictionary) {
  const Language* language = find_language(name);
  if (language == nullptr) throw ConfigError("MeCab has no tokenizer '" + name + "'");
  const Functions functions = load(*language);
  const std::shared_ptr<void> tagger = open(functions, *language, dictionary);
  const std::string version = functions.version();
  if (version.find(language->variant) == std::string::npos)
    spdlog::warn("{} {}: sacreBLEU's {} uses mecab-ko, which splits some words in another way",
                 kLibrary, version, name);
  const std::string label = dictionary_label(*functions.dictionary(tagger.get()), *language);
  return {name + "-" + version + "-" + label,
          [functions, tagger](std::string_view sentence) -> std::string {
            const std::string_view line = strip(sentence);
            const char* words = functions.parse(tagger.get(), line.data(), line.size());
            if (words == nullptr)
              throw Error(std::string("MeCab: ") + functions.error(tagger.get()));
            return words;
          }};
}

}  // namespace dietmt::metrics
