// Runs the seeds of a fuzz target without a fuzzer, so that every test run exercises the target:
// replay FOLDER, which need not exist. Each seed runs complete, truncated at up to 64 positions,
// and with up to 64 bytes inverted. Then part of it is repeated until the input is large, which
// must cost time in proportion to its size.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/common/cpu_cost.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kPlaces = 64;

void run(const std::string& input) {
  // Exactly as large as the input, so that sanitizers catch reads past its end.
  const std::vector<uint8_t> own(input.begin(), input.end());
  LLVMFuzzerTestOneInput(own.data(), own.size());
}

void run_around(const std::string& seed) {
  run(seed);
  const size_t step = std::max<size_t>(1, seed.size() / kPlaces);
  for (size_t place = 0; place < seed.size(); place += step) {
    run(seed.substr(0, place));
    std::string changed = seed;
    changed[place] = static_cast<char>(~changed[place]);
    run(changed);
  }
}

/// `seed` with `unit` bytes at `place` repeated until it has `size` bytes or more.
std::string grown(const std::string& seed, size_t place, size_t unit, size_t size) {
  const std::string part = seed.substr(place, unit);
  std::string input = seed.substr(0, place);
  while (input.size() < size) input += part;
  return input + seed.substr(place);
}

void require_proportional_cost(const std::string& name, const std::string& seed) {
  constexpr size_t kSize = 32768;
  // Sanitizers only watch the work, ten times as long.
  constexpr size_t kGrownPlaces = dietmt::kCostIsMeasurable ? 12 : 4;
  const size_t step = std::max<size_t>(1, seed.size() / kGrownPlaces);
  for (size_t place = 0; place < seed.size(); place += step) {
    for (const size_t unit : {1, 8, 48}) {
      const double growth = dietmt::cost_growth(
          kSize, [&](size_t size) { return grown(seed, place, unit, size); }, run);
      if (growth <= dietmt::kLinearGrowth) continue;
      std::fprintf(stderr,
                   "%s with %zu bytes at %zu repeated: twice the size, %.1f times the cost\n",
                   name.c_str(), unit, place, growth);
      std::exit(1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  run("");
  size_t seeds = 0;
  if (argc > 1 && std::filesystem::is_directory(argv[1])) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string seed{std::istreambuf_iterator<char>(file), {}};
      run_around(seed);
      require_proportional_cost(entry.path().filename(), seed);
      ++seeds;
    }
  }
  std::printf("%zu seeds\n", seeds);
}
