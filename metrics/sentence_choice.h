// Sentences of a test set: read as sacreBLEU reads them, and chosen by their origin or document
// (its --origlang and --subset).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dietmt::metrics {

/// The lines of a file without whitespace at their ends; warns of invalid UTF-8 and replaces it.
/// Throws DataError if there are none.
std::vector<std::string> read_sentences(const std::string& path);

/// The lines of a file that says something about each of so many sentences. Throws DataError for
/// another number of lines.
std::vector<std::string> read_labels(const std::string& path, size_t sentences);

/// Which sentences to score. All vectors have an entry for each sentence.
class SentenceChoice {
 public:
  explicit SentenceChoice(size_t sentences);

  /// Keeps those of this origin, for example "de", or with "non-de" those of all others.
  void keep_origin(const std::vector<std::string>& origins, const std::string& origin);
  /// Keeps those of documents whose id contains a match of the regular expression. Throws
  /// ConfigError naming --subset.
  void keep_documents(const std::vector<std::string>& documents, const std::string& pattern);

  bool empty() const { return chosen_.empty(); }
  /// Places of the kept sentences.
  const std::vector<size_t>& chosen() const { return chosen_; }
  /// The lines of the kept sentences.
  std::vector<std::string> of(const std::vector<std::string>& lines) const;

 private:
  template <typename Drop>
  void drop_if(const std::vector<std::string>& labels, const Drop& drop);

  std::vector<size_t> chosen_;
};

struct NumberedDocuments {
  std::vector<std::string> ids;      // in the order of their first sentences
  std::vector<size_t> of_sentences;  // places in `ids`
};
NumberedDocuments number_documents(const std::vector<std::string>& of_sentences);

}  // namespace dietmt::metrics
