// The seeds of a fuzz target without a fuzzer, so that every build and test run keeps the target
// alive: replay FOLDER, which need not be there. Each seed runs whole, cut short at up to 64 places
// and with up to 64 bytes turned over, besides an empty input.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr size_t kPlaces = 64;

void run(const std::string& input) {
  // Memory of the input's own size, so that reading past its end is an error to a sanitizer.
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

}  // namespace

int main(int argc, char** argv) {
  run("");
  size_t seeds = 0;
  if (argc > 1 && std::filesystem::is_directory(argv[1])) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      std::ifstream file(entry.path(), std::ios::binary);
      run_around({std::istreambuf_iterator<char>(file), {}});
      ++seeds;
    }
  }
  std::printf("%zu seeds\n", seeds);
}
