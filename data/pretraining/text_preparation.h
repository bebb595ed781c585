// Raw text becomes text for pre-training, a sentence a line, much as Ke et al. 2021 (TUPE, 4.1)
// prepared theirs: normalised punctuation, no lines that are short, hardly text or there twice, and
// split sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/pretraining/text_corpus.h"

namespace dietmt::data {

struct PreparationOptions {
  std::string language = "en";  // whose rules for sentences and punctuation are used
  DocumentBoundary boundary = DocumentBoundary::kEmptyLine;
  int64_t min_letters = 50;               // of a line, which is a paragraph
  double min_letter_share = 0.7;          // of its characters
  int64_t threads = 1;                    // the text does not depend on them
  std::filesystem::path directory = ".";  // for the keys of duplicates
};

/// What became of the lines.
struct PreparationReport {
  int64_t lines = 0;      // including empty ones
  int64_t documents = 0;  // with a line that was kept
  int64_t kept = 0;       // lines
  int64_t sentences = 0;
  int64_t few_letters = 0;
  int64_t duplicates = 0;
  int64_t too_long = 0;
  int64_t not_utf8 = 0;
  std::string summary() const;  // one sentence
};

/// Receives the sentences of a line, each with a line feed, and the number of their document, from
/// 0.
using SentenceSink = std::function<void(int64_t document, std::string_view sentences)>;

/// Reads the files (plain or compressed) once, in order. Memory does not grow with the text; 11 to
/// 22 bytes a kept line lie in an unnamed file in `directory`. Throws DataError naming a file that
/// cannot be read or has no text, Error if the disk is full, Stopped after a signal, and what the
/// sink throws.
PreparationReport prepare_text(const std::vector<std::string>& files,
                               const PreparationOptions& options, const SentenceSink& sink);

}  // namespace dietmt::data
