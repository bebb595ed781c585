// T5 (Raffel et al. 2020, section 2.1): a learned number per head and bucket of offsets, added to
// the scores:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + b[h, bucket(j - i)]
//
// Each short offset has its own bucket. Beyond them buckets widen logarithmically up to `distance`,
// and the last one holds all longer offsets. Encoders give half of the buckets to each direction;
// decoders give all of them to the past. T5 itself does not divide by sqrt(Dh): scaled = false.
// Choose it if inputs may be longer than in training.
#pragma once

#include "encoders/position/encoding_row.h"

namespace dietmt::encoders {

struct T5Options {
  int64_t buckets = 32;
  int64_t distance = 128;
  bool scaled = true;
  Sharing sharing = Sharing::kLayers;
};

/// The bucket of offset j - i. one_directional: later keys fall into bucket 0.
int64_t t5_bucket(int64_t offset, bool one_directional, int64_t buckets, int64_t distance);

/// Throws ConfigError unless buckets are even and the distance exceeds those with a bucket each.
void require_t5_options(const T5Options& options, bool one_directional);

constexpr int64_t kFewestBuckets = 4;

/// The option "distance" of encodings with such buckets.
EncodingOption distance_option(int64_t default_value);

class T5 : public PositionEncoding {
 public:
  T5(const T5Options& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  bool scaled_;
  std::vector<int64_t> buckets_;  // of offsets -distance .. distance; the ends hold all beyond
  at::Tensor table_;              // b: [L|1, H|1, buckets], initially N(0, 0.02^2)
};

EncodingRow t5_row();

}  // namespace dietmt::encoders
