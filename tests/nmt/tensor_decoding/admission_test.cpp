#include "nmt/tensor_decoding/admission.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/random.h"
#include "nmt/tensor_decoding/beam_worker.h"
#include "nmt/translation/translation_stream.h"

namespace dietmt::nmt {
namespace {

constexpr int64_t kOpen = 3072;  // sentences with beam 5

struct Line {
  int64_t source = 0;
  int64_t steps = 0;  // until its row is free again
};

// As long as sentences of Multi30k: a normal distribution with mean 14.5 and deviation 4.3.
std::vector<Line> lines_of_multi30k(int64_t count) {
  Random random(1);
  std::vector<Line> lines;
  for (int64_t i = 0; i < count; ++i) {
    const double normal = std::sqrt(-2.0 * std::log(1.0 - random.uniform())) *
                          std::cos(2.0 * M_PI * random.uniform());
    const auto source = std::max<int64_t>(4, std::llround(14.5 + 4.3 * normal));
    lines.push_back({source, source + 3 + static_cast<int64_t>(random.below(3))});
  }
  return lines;
}

struct Work {
  int64_t steps = 0;
  int64_t encoder_passes = 0;
};

// What BeamWorker does with the lines of a window, which come longest first.
void decode_window(std::vector<Line> window, const Admission& admission, Work& work) {
  std::ranges::sort(window, std::ranges::greater(), &Line::source);
  std::vector<Line> open, encoded;
  size_t next = 0;
  const auto load = [](const std::vector<Line>& lines) {
    int64_t sum = 0;
    for (const Line& line : lines) sum += line.source;
    return sum;
  };
  const auto open_encoded = [&] {
    const int64_t count = std::min(kOpen - std::ssize(open), std::ssize(encoded));
    open.insert(open.end(), encoded.begin(), encoded.begin() + count);
    encoded.erase(encoded.begin(), encoded.begin() + count);
  };
  while (true) {
    open_encoded();
    int64_t room = admission.room(load(open) + load(encoded), std::ssize(encoded), open.empty());
    const size_t before = next;
    while (next < window.size() && (room -= window[next].source) >= 0)
      encoded.push_back(window[next++]);
    if (next > before) ++work.encoder_passes;
    open_encoded();
    if (open.empty()) return;
    ++work.steps;
    for (Line& line : open) --line.steps;
    std::erase_if(open, [](const Line& line) { return line.steps == 0; });
  }
}

Work decode(const std::vector<Line>& lines, const Admission& admission, const WindowSizes& sizes) {
  Work work;
  int64_t size = sizes.first_lines;
  for (auto first = lines.begin(); first != lines.end();) {
    const auto end = first + std::min(size, lines.end() - first);
    decode_window({first, end}, admission, work);
    first = end;
    size = std::min(2 * size, sizes.lines);
  }
  return work;
}

// A step of 3,072 sentences leaves no row unused for long, and few steps wait for the encoder.
TEST(AdmissionTest, TwoHundredThousandLinesTakeFewStepsAndEncoderPasses) {
  constexpr int64_t kCapacity = 128 * 512;
  EXPECT_EQ(kOpen, RecordedSteps::largest_size(BeamWorker::kMostRows / 5));
  const Work work =
      decode(lines_of_multi30k(200'000), {kCapacity}, WindowSizes::for_capacity(kCapacity));
  EXPECT_LE(work.steps, 1300);
  EXPECT_LE(4 * work.encoder_passes, work.steps);
}

TEST(AdmissionTest, AsksForAShareOfTheLoadUnlessNothingIsOpen) {
  const Admission admission{.most_load = 80};
  EXPECT_EQ(admission.room(0, 0, true), 80);
  EXPECT_EQ(admission.room(100, 0, true), 1);
  EXPECT_EQ(admission.room(70, 0, false), 10);
  EXPECT_EQ(admission.room(71, 0, false), 0);
  EXPECT_EQ(admission.room(0, 1, false), 0);
  EXPECT_EQ(admission.urgent_room(150), 10);
  EXPECT_EQ(admission.urgent_room(151), 0);
}

}  // namespace
}  // namespace dietmt::nmt
