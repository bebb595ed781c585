// A corpus of toy text and its caches.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/error.h"
#include "data/corpus/parallel_corpus.h"
#include "tests/data/toy_text.h"

namespace dietmt::data {

class ParallelCorpusTest : public ToyTextTest {
 protected:
  std::filesystem::path cache_folder() const { return scratch() / "cache"; }

  // The caches in the folder, ordered by name.
  std::vector<std::filesystem::path> cache_files() const {
    std::vector<std::filesystem::path> files;
    if (!std::filesystem::exists(cache_folder())) return files;
    for (const auto& entry : std::filesystem::directory_iterator(cache_folder()))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }
  // The only one.
  std::filesystem::path cache_file() const {
    const std::vector<std::filesystem::path> files = cache_files();
    EXPECT_EQ(files.size(), 1U);
    return files.at(0);
  }

  ParallelCorpus corpus_of(const std::vector<std::string>& sources,
                           const std::vector<std::string>& targets, const LengthFilter& filter = {},
                           int64_t threads = 2) const {
    return ParallelCorpus(corpus_files(sources, targets), tokenizer(), tokenizer(), filter,
                          cache_folder(), threads);
  }
  ParallelCorpus toy_corpus(const LengthFilter& filter = {}, int64_t threads = 2) const {
    return corpus_of({source_file()}, {target_file()}, filter, threads);
  }

  /// The first lines with weights, which are those of a file named `name`.
  ParallelCorpus weighted_corpus(const std::string& name, const std::vector<float>& weights,
                                 const LengthFilter& filter = {}) const {
    const auto first = [&](const std::vector<std::string>& all) {
      return joined_lines({all.begin(), all.begin() + std::ssize(weights)});
    };
    std::string numbers;
    for (const float weight : weights) numbers += std::to_string(weight) + '\n';
    CorpusFiles files{write(name + ".source", first(text_.source)),
                      write(name + ".target", first(text_.target))};
    files.weights = write(name, numbers);
    return ParallelCorpus({files}, tokenizer(), tokenizer(), filter, cache_folder(), 2);
  }

  std::string error_of(const std::vector<std::string>& sources,
                       const std::vector<std::string>& targets,
                       const LengthFilter& filter = {}) const {
    try {
      corpus_of(sources, targets, filter);
    } catch (const Error& error) {
      for (const std::filesystem::path& file : cache_files()) EXPECT_EQ(file.extension(), ".cache");
      return error.what();
    }
    return "no error";
  }

  // Changes when the cache is rewritten.
  ino_t inode() const { return inode(cache_file()); }
  static ino_t inode(const std::filesystem::path& file) {
    struct stat status = {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    return status.st_ino;
  }

  std::vector<int32_t> sentence(const std::string& line) const {
    std::vector<int32_t> ids = tokenizer().encode(line);
    ids.push_back(tokenizer().end_id());
    return ids;
  }

  static std::vector<int32_t> ids(std::span<const int32_t> span) {
    return {span.begin(), span.end()};
  }

  void expect_toy_text(const ParallelCorpus& corpus) const {
    ASSERT_EQ(corpus.size(), std::ssize(text_.source));
    for (size_t i = 0; i < text_.source.size(); ++i) {
      const auto pair = static_cast<int64_t>(i);
      EXPECT_EQ(ids(corpus.source(pair)), sentence(text_.source[i]));
      EXPECT_EQ(ids(corpus.target(pair)), sentence(text_.target[i]));
      EXPECT_EQ(corpus.source_length(pair), std::ssize(corpus.source(pair)));
      EXPECT_EQ(corpus.target_length(pair), std::ssize(corpus.target(pair)));
    }
  }
};

}  // namespace dietmt::data
