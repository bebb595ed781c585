// Options that would have no effect.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "common/options.h"

namespace dietmt::tools {

/// The range of sentencepiece's trainer.
inline const OptionRule kCharacterCoverage{.least = 0.98, .most = 1};

/// Adds the problem "--NAME needs NEEDED" for each of these options that was changed.
void refuse_unused(const OptionTable& table, std::initializer_list<const char*> names,
                   const std::string& needed, std::vector<std::string>& problems);

/// Warns of each of these options that was changed: it has no effect with `given`.
void warn_of_unused(const OptionTable& table, std::initializer_list<const char*> names,
                    const std::string& given);

/// What to warn of if a tokenizer is there already: --vocab-size differs from its `pieces`, or
/// options of its training were given. `tokenizer`: its file, or what else to call it.
std::vector<std::string> ignored_by_tokenizer(const OptionTable& table, int64_t vocabulary_size,
                                              const std::string& tokenizer, int64_t pieces);
std::vector<std::string> ignored_without_training(const OptionTable& table,
                                                  std::initializer_list<const char*> names);

}  // namespace dietmt::tools
