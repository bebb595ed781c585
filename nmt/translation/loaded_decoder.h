// A decoder with all that a program needs beside it.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "data/text/tokenizer.h"
#include "nmt/engine/engine_model.h"
#include "nmt/model/model_files.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class ModelList;

struct LoadedDecoder {
  std::shared_ptr<const ModelList> models;  // null on the CPU, where the engine has its own
  std::unique_ptr<const SentenceDecoder> decoder;
  std::shared_ptr<const data::Tokenizer> source_tokenizer;
  std::shared_ptr<const data::Tokenizer> target_tokenizer;  // the same object if one serves both
  SpecialTokens special;
};

/// The models of `--model DIR[,DIR...]`, which have one vocabulary, for the engine.
class EngineModelList {
 public:
  /// Throws ConfigError if the tokenizers of `files` are not those of the models before.
  void add(const ModelFiles& files, EngineModel model);

  /// `shortlist`: data/shortlist/shortlist.h; empty: none. Throws DataError if it does not fit.
  LoadedDecoder decoder(const std::filesystem::path& shortlist) &&;

 private:
  std::vector<EngineModel> models_;
  std::filesystem::path first_;
  Tokenizers tokenizers_;
};

}  // namespace dietmt::nmt
