// Runs the seeds of a fuzz target without a fuzzer, so that every test run exercises the target:
// replay FOLDER, which need not exist. Each seed runs complete, truncated at up to 64 positions,
// and with up to 64 bytes inverted. Then part of it is repeated until the input is large, and again
// until it is twice as large, which must not take much more than twice the processor time.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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

double processor_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The minimum over the repeats, which other programs affect least.
double seconds(const std::string& input, int repeats) {
  double least = 1e9;
  for (int i = 0; i < repeats; ++i) {
    const double start = processor_seconds();
    run(input);
    least = std::min(least, processor_seconds() - start);
  }
  return least;
}

/// Doubling the input may triple the time, which leaves room for caches and noise; quadratic cost
/// would quadruple it.
void require_proportional_cost(const std::string& name, const std::string& seed) {
  constexpr size_t kSize = 32768;
  constexpr size_t kGrownPlaces = 12;
  constexpr double kMeasurable = 0.02;
  const size_t step = std::max<size_t>(1, seed.size() / kGrownPlaces);
  for (size_t place = 0; place < seed.size(); place += step) {
    for (const size_t unit : {1, 8, 48}) {
      const std::string twice = grown(seed, place, unit, 2 * kSize);
      if (seconds(twice, 1) < kMeasurable) continue;
      const double small = seconds(grown(seed, place, unit, kSize), 3);
      const double large = seconds(twice, 3);
      if (large < kMeasurable || large < 3 * small) continue;
      std::fprintf(stderr,
                   "%s with %zu bytes at %zu repeated: %.3f s for %zu bytes, %.3f s for %zu\n",
                   name.c_str(), unit, place, small, kSize, large, 2 * kSize);
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
