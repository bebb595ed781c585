// Text as the pieces of a sentencepiece model, for metrics over subwords.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace dietmt::data {

/// A function that returns the pieces with spaces between them; characters without a piece stay as
/// they are. Throws DataError naming the file if it is no sentencepiece model.
std::function<std::string(std::string_view)> piece_splitter(const std::filesystem::path& file);

}  // namespace dietmt::data
