// A small vocabulary, models of a few thousand parameters, and tasks that they learn in seconds.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bert/finetuning/finetuning_task.h"
#include "bert/prediction/task_description.h"
#include "common/random.h"
#include "data/text/wordpiece.h"
#include "tests/common/scratch.h"

namespace dietmt::bert {

inline const std::vector<std::string> kToyWords = {"red",  "blue", "cat",  "dog",   "house",
                                                   "tree", "big",  "sees", "likes", "where"};
constexpr int32_t kFirstWord = 5;  // after [PAD] [UNK] [CLS] [SEP] [MASK]

class ToyTaskTest : public ScratchTest {
 protected:
  ToyTaskTest() {
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (const std::string& word : kToyWords) vocabulary += word + "\n";
    tokenizer_ = std::make_unique<data::WordPieceTokenizer>(write("vocab.txt", vocabulary),
                                                            data::BertTextOptions{});
  }

  const data::BertTokenizer& tokenizer() const { return *tokenizer_; }

  std::shared_ptr<encoders::Bert> model(const TaskDescription& description,
                                        double dropout = 0.0) const {
    encoders::BertConfig config = encoders::BertConfig::preset("tiny");
    config.vocabulary = tokenizer_->vocabulary_size();
    config.layers = 1;
    config.width = 32;
    config.feed_forward = 64;
    config.max_positions = 64;
    config.dropout = config.attention_dropout = config.embedding_dropout = config.head_dropout =
        dropout;
    config.task_heads = description.heads();
    return std::make_shared<encoders::Bert>(config, 3);
  }

  /// `updates` at a constant rate in batches of 16, validated at the end; in scratch()/`folder`.
  training::TrainerOptions trainer(const std::string& folder, const std::string& metric,
                                   int64_t updates) const {
    training::TrainerOptions options;
    options.output = scratch() / folder;
    options.max_updates = updates;
    options.valid_interval = updates;
    options.valid_metric = metric;
    options.schedule = {training::Schedule::kConstant, 3e-3, 0.0, 0.0, 0, updates};
    options.optimizer.beta2 = 0.999;
    return options;
  }

  static FinetuningOptions options() { return {{16, 1}, {}}; }

 private:
  std::unique_ptr<data::BertTokenizer> tokenizer_;
};

/// `words` words drawn at random.
inline std::string random_words(Random& random, int64_t words) {
  std::string text;
  for (int64_t i = 0; i < words; ++i)
    text += (i == 0 ? "" : " ") + kToyWords[random.below(kToyWords.size())];
  return text;
}

inline data::Task own_task(data::TaskKind kind, std::vector<std::string> metrics) {
  data::Task task;
  task.name = "toy";
  task.target.kind = kind;
  task.metrics = std::move(metrics);
  return task;
}

}  // namespace dietmt::bert
