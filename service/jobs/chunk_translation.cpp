#include "service/jobs/chunk_translation.h"

#include <algorithm>

#include "common/error.h"
#include "service/documents/placeholders.h"
#include "service/jobs/segment_lines.h"

namespace dietmt::service {
namespace {

struct Line {
  std::string_view content;
  std::string_view end;
  bool has_text = false;  // to translate
  int64_t text = -1;      // its index among the texts
};

std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const size_t size = newline == text.npos ? text.size() : newline + 1;
    size_t content = newline == text.npos ? size : newline;
    if (content > 0 && text[content - 1] == '\r') --content;
    lines.push_back({text.substr(0, content), text.substr(content, size - content)});
    text.remove_prefix(size);
  }
  return lines;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

}  // namespace

ChunkResult translate_chunk(const TakenChunk& chunk, const TranslateLines& translate,
                            const std::function<bool()>& cancelled) {
  ChunkResult result;
  std::vector<Line> lines = split_lines(chunk.input.text);
  std::vector<nmt::MarkedText> texts;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (chunk.options.document) {
      lines[i].has_text = true;
      lines[i].text = std::ssize(texts);
      texts.push_back(segment_in(lines[i].content));
      continue;
    }
    LineParts parts = split_line(chunk.options.format, lines[i].content);
    if (!parts.problem.empty()) {
      result.bad_lines.push_back(
          {chunk.first_line + static_cast<int64_t>(i), std::move(parts.problem)});
    } else {
      lines[i].has_text = !is_blank(parts.text);
      if (!lines[i].has_text) parts.text.clear();
      lines[i].text = std::ssize(texts);
      texts.push_back({.text = std::move(parts.text), .marks = {}});
    }
  }
  std::vector<bool> cut(texts.size()), guarded(texts.size());
  std::vector<double> quality;
  const auto translate_with = [&](const JobOptions& options, const ConnectedTexts& some) {
    TranslatedLines translated = translate(options, some, cancelled);
    result.source_tokens += translated.source_tokens;
    const auto take = [&](const std::vector<bool>& found, std::vector<bool>& all) {
      for (size_t i = 0; i < found.size(); ++i)
        if (some.only_context.empty() || !some.only_context[i]) all.at(i) = found[i];
    };
    take(translated.cut, cut);
    take(translated.guarded, guarded);
    quality = std::move(translated.quality);
    return std::move(translated.lines);
  };
  const auto translate_texts = [&](const ConnectedTexts& some) {
    return translate_with(chunk.options, some);
  };
  std::vector<Translation> translations;
  const auto translate_marked = [&](const ConnectedTexts& some) {
    JobOptions options = chunk.options;
    options.decoding["markup"] = true;
    return translate_with(options, some);
  };
  if (chunk.options.document)
    translations = translate_keeping_placeholders(texts, translate_texts, translate_marked);
  else if (std::ranges::any_of(lines, &Line::has_text))
    translations = translate_texts({texts});
  else
    translations.resize(texts.size());
  if (translations.size() != texts.size())
    throw Error("the translator returned " + std::to_string(translations.size()) + " lines for " +
                std::to_string(texts.size()));
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const auto text = static_cast<size_t>(line.text);
    if (chunk.options.document)
      result.text += translation_line(translations[text]);
    else if (line.has_text)
      result.text += join_line(chunk.options.format, line.content, plain_text(translations[text]),
                               quality.empty() ? std::nullopt : std::optional(quality.at(text)));
    else
      result.text += line.content;
    result.text += line.end;
    const int64_t number = chunk.first_line + static_cast<int64_t>(i);
    if (line.has_text && cut[text]) result.cut_lines.push_back(number);
    if (line.has_text && guarded[text]) result.guarded_lines.push_back(number);
  }
  return result;
}

}  // namespace dietmt::service
