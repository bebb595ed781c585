// A loaded model with the workers that decode for all callers.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/text/glossary.h"
#include "dietmt/translator.h"
#include "nmt/translation/line_coder.h"
#include "nmt/translation/loaded_decoder.h"
#include "service/scheduling/served_model.h"

namespace dietmt {

/// Lines that are translated together.
struct LineBatch {
  std::vector<std::string> lines;
  std::vector<std::string> prefixes;  // as many, or none
  std::vector<std::string> tags;      // as many, or none
  std::vector<std::string> earlier;   // lines before them: context, for a model that reads it
  int64_t first = 0;                  // number of the first line: part of the key of sampling
};

/// Options of a call, checked.
struct TranslationPlan {
  nmt::SearchOptions search;
  data::Glossary glossary;
  nmt::LineOptions line;  // without the glossary
};

/// Public calls end with translate() or score(); several threads use one Engine at once.
class Engine {
 public:
  Engine(const std::string& model, const TranslatorOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Throws ConfigError, which lists all problems, and DataError: an entry of the glossary that is
  /// wrong, a tag that is not a piece of the source tokenizer.
  TranslationPlan plan(const TranslateOptions& options) const;

  /// What the model reads of the lines before a line.
  const data::SentenceContext& context() const { return loaded_->context; }

  std::vector<Translation> translate(const LineBatch& batch, const TranslationPlan& plan,
                                     const std::function<bool()>& cancelled);

  std::vector<Hypothesis> score(const std::vector<std::string>& sources,
                                const std::vector<std::string>& targets,
                                const ScoreOptions& options);

  /// Throws Error in a process that was forked after the model was loaded: it lacks the threads.
  void require_own_process() const;

 private:
  nmt::SearchOptions search_options(const TranslateOptions& options) const;
  std::vector<nmt::NBest> decode(std::vector<nmt::TranslationRequest> requests,
                                 const nmt::SearchOptions& search,
                                 const std::function<bool()>& cancelled);

  TranslatorOptions options_;
  pid_t process_;  // whose threads decode
  std::shared_ptr<const nmt::LoadedDecoder> loaded_;
  std::unique_ptr<service::ServedModel> served_;
};

}  // namespace dietmt
