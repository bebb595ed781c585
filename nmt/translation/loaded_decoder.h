// Decoders with everything else that a program needs; the ones here need no LibTorch.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
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
#include "nmt/translation/piece_index.h"
#include "nmt/translation/term_encoder.h"

namespace dietmt::nmt {

class ModelList;

/// What reads the whole vocabulary of a model, made for the first request that needs it.
template <typename T>
class MadeOnce {
 public:
  /// Thread-safe.
  const T& of(const data::Tokenizer& target) {
    std::call_once(made_, [&] { value_.emplace(target); });
    return *value_;
  }

 private:
  std::once_flag made_;
  std::optional<const T> value_;
};

struct LoadedDecoder {
  std::shared_ptr<const ModelList> models = {};  // null on the CPU: the engine has its copy
  std::shared_ptr<const SentenceDecoder> decoder = {};
  std::shared_ptr<const data::Tokenizer> source_tokenizer = {};
  std::shared_ptr<const data::Tokenizer> target_tokenizer = {};  // may be the same object
  SpecialTokens special = {};
  data::SentenceContext context = {};

  std::shared_ptr<MadeOnce<TermEncoder>> made_terms = std::make_shared<MadeOnce<TermEncoder>>();
  std::shared_ptr<MadeOnce<PieceIndex>> made_pieces = std::make_shared<MadeOnce<PieceIndex>>();
  ModelLanguages languages = {};                            // empty: one pair
  SearchDefaults search = {};                               // of the first model
  std::shared_ptr<const SuppressedTokens> suppressed = {};  // by the first model; null: none

  /// For glossaries, and for prefixes and texts to avoid.
  const TermEncoder& terms() const { return made_terms->of(*target_tokenizer); }
  const PieceIndex& pieces() const { return made_pieces->of(*target_tokenizer); }
};

/// Collects the models of `--model` for the engine. They share one vocabulary.
class EngineModelList {
 public:
  /// Throws ConfigError if the tokenizers or languages of `files` or the context that the model
  /// reads differ from those of the earlier models.
  void add(const ModelFiles& files, EngineModel model);

  /// `shortlist`: a file of data/shortlist/shortlist.h; empty: none. Throws DataError if it was
  /// made for other tokenizers.
  LoadedDecoder decoder(const std::filesystem::path& shortlist) &&;

 private:
  std::vector<EngineModel> models_;
  std::filesystem::path first_;
  Tokenizers tokenizers_;
  data::SentenceContext context_;
  ModelLanguages languages_;
  SearchDefaults search_;
  std::shared_ptr<const SuppressedTokens> suppressed_;
};

/// Options for models stored with packed weights and position terms, which load in milliseconds
/// without LibTorch by mapping them into memory.
struct StoredDecoderOptions {
  std::optional<kernels::WeightType> weights = {};  // none: the directory's type
  std::filesystem::path shortlist = {};             // empty: none
  SearchOptions search = {};  // limits the length of sentences and translations
};

/// Whether a model directory, or the one that resolve_model_directory() finds, has packed weights
/// with position terms, so that decoding needs no LibTorch.
bool has_stored_positions(const std::filesystem::path& directory);

/// Returns nullopt if one of `directories` is not such a model, or if its tables do not cover all
/// sentences that `options` allow; use load_decoder() then. Throws what load_decoder() throws.
std::optional<LoadedDecoder> load_stored_decoder(const std::vector<std::string>& directories,
                                                 const StoredDecoderOptions& options);

}  // namespace dietmt::nmt
