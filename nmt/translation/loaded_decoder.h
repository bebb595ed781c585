// Decoders with all that a program needs beside them, and those that need no LibTorch.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/text/tokenizer.h"
#include "kernels/packed_linear.h"
#include "nmt/engine/engine_model.h"
#include "nmt/model/model_files.h"
#include "nmt/search/search_options.h"
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

/// Of decoders of models whose directories hold packed weights and the terms of their positions:
/// they are mapped into memory in milliseconds, without LibTorch.
struct StoredDecoderOptions {
  std::optional<kernels::WeightType> weights = {};  // none: as the directory has them
  std::filesystem::path shortlist = {};             // empty: none
  SearchOptions search = {};                        // how long sentences and translations may be
  bool has_prefixes = false;                        // translations may be of any length
};

/// None if one of `directories` (separated by commas) is no such model, or if its tables do not
/// reach all sentences that `options` allow: load_decoder() can do it. Throws what that throws.
std::optional<LoadedDecoder> load_stored_decoder(const std::string& directories,
                                                 const StoredDecoderOptions& options);

}  // namespace dietmt::nmt
