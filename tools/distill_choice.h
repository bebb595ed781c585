// Which translation `dietmt distill` keeps, and the pair that the student gets.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "common/text_io.h"
#include "data/text/text_augmentation.h"
#include "metrics/metric.h"
#include "tools/distill_options.h"

namespace dietmt::tools {

/// Chooses the translation closest to the reference; of equally close ones the first, which the
/// teacher prefers. Without --reference, the first.
class DistillChoice {
 public:
  /// Throws DataError if the reference has another number of lines than the source.
  explicit DistillChoice(const DistillOptions& o);

  /// Leaves out the next `lines`.
  void skip(int64_t lines);

  /// For the next line.
  std::string operator()(std::span<const std::string> translations);

 private:
  double closeness(const std::string& text, const std::string& reference) const;

  std::unique_ptr<const metrics::Metric> metric_;
  std::unique_ptr<LineReader> reference_;
};

/// The sides of a pair in the roles that --back-translate gives them, and with the changes of
/// --augment.
class StudentPairs {
 public:
  explicit StudentPairs(const DistillOptions& o);

  struct Pair {
    std::string source, target;
  };
  /// `number`: of the line.
  Pair operator()(const std::string& line, const std::string& translation, int64_t number) const;

 private:
  bool swapped_;
  data::AugmentationRates rates_;
  uint64_t seed_;
};

}  // namespace dietmt::tools
