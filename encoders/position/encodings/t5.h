// The buckets of T5 (t5.cpp), for encodings that use them.
#pragma once

#include "encoders/position/encoding_row.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {

struct T5Options {
  int64_t buckets = 32;
  int64_t distance = 128;
  bool scaled = true;
  Sharing sharing = Sharing::kLayers;
};

/// The bucket of offset j - i. one_directional: later keys fall into bucket 0.
int64_t t5_bucket(int64_t offset, bool one_directional, int64_t buckets, int64_t distance);

/// Numbers of buckets as numbers of the offsets -distance .. distance; the ends hold all beyond.
class T5Buckets {
 public:
  T5Buckets(bool one_directional, int64_t buckets, int64_t distance);
  /// table: [.., buckets]. Returns [.., offsets].
  at::Tensor by_offset(const at::Tensor& table) const;

 private:
  std::vector<int64_t> buckets_;  // of the offsets
  TableCache choices_;            // [buckets, offsets]: 1 where the offset has the bucket
};

/// Throws ConfigError unless buckets are even and the distance exceeds those with a bucket each.
void require_t5_options(const T5Options& options, bool one_directional);

constexpr int64_t kFewestBuckets = 4;

/// The option "distance" of encodings with such buckets.
EncodingOption distance_option(int64_t default_value);

}  // namespace dietmt::encoders
