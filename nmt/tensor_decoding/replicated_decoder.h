// One model on several devices: each has its own weights and takes sentences from the same feed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class ReplicatedDecoder final : public SentenceDecoder {
 public:
  struct Replica {
    std::shared_ptr<const void> models;  // to which the decoder refers
    std::unique_ptr<const SentenceDecoder> decoder;
  };

  /// replicas: one or more, of the same model.
  explicit ReplicatedDecoder(std::vector<Replica> replicas);

  int64_t max_source_length() const override;
  int64_t max_target_length() const override;
  bool aligns() const override;
  int64_t capacity(int64_t workers, int64_t batch_tokens) const override;

  /// The caller runs the first replica, and a thread each of the others. If one throws, its
  /// sentences fail, and the exception follows when the others have finished.
  void run(SentenceFeed& feed, int64_t workers, int64_t threads,
           int64_t batch_tokens) const override;

 private:
  std::vector<Replica> replicas_;
};

}  // namespace dietmt::nmt
