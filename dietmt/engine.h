// A loaded model with the workers that decode for all callers.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "data/text/source_tag.h"
#include "dietmt/translator.h"
#include "nmt/search/term_encoder.h"
#include "nmt/translation/loaded_decoder.h"
#include "service/scheduling/served_model.h"

namespace dietmt {

/// Lines that are translated together.
struct LineBatch {
  std::vector<std::string> lines;
  std::vector<std::string> prefixes;  // as many, or none
  int64_t first = 0;                  // number of the first line: part of the key of sampling
};

/// Throws DataError, which names the entry that is wrong.
data::Glossary glossary_of(const TranslateOptions& options);

/// Public calls end with translate() or score(); several threads use one Engine at once.
class Engine {
 public:
  Engine(const std::string& model, const TranslatorOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Throws ConfigError, which lists all problems.
  nmt::SearchOptions search_options(const TranslateOptions& options) const;

  /// Throws DataError if the tag is not a piece of the source tokenizer.
  data::SourceTag source_tag(const std::string& tag) const;

  std::vector<Translation> translate(const LineBatch& batch, const nmt::SearchOptions& search,
                                     const data::SourceTag& tag, const data::Glossary& glossary,
                                     const std::function<bool()>& cancelled);

  std::vector<Hypothesis> score(const std::vector<std::string>& sources,
                                const std::vector<std::string>& targets,
                                const std::function<bool()>& cancelled);

 private:
  const nmt::TermEncoder& terms();
  std::vector<nmt::NBest> decode(std::vector<nmt::TranslationRequest> requests,
                                 const nmt::SearchOptions& search,
                                 const std::function<bool()>& cancelled);
  std::vector<int32_t> encode_source(const std::string& line, bool& truncated) const;
  std::vector<int32_t> encode_target(const std::string& line) const;
  Hypothesis hypothesis(const nmt::Hypothesis& found) const;

  TranslatorOptions options_;
  pid_t process_;  // whose threads decode
  std::shared_ptr<const nmt::LoadedDecoder> loaded_;
  std::unique_ptr<service::ServedModel> served_;
  std::once_flag has_terms_;
  std::unique_ptr<const nmt::TermEncoder> terms_;  // made for the first glossary
};

}  // namespace dietmt
