#include "service/jobs/segment_lines.h"

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::service {
namespace {

using nlohmann::json;

std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename Read>
auto read_line(std::string_view line, Read read) {
  try {
    return read(json::parse(line));
  } catch (const json::exception&) {
    throw DataError("the job was stored by another version of dietmt; submit its document again");
  }
}

}  // namespace

std::string segment_line(const nmt::MarkedText& segment) {
  json line{{"text", segment.text}};
  for (const nmt::InlineMark& mark : segment.marks)
    line["marks"].push_back({mark.at, mark.parts.front().text});
  return line_of(line);
}

std::string translation_line(const Translation& translation) {
  json parts = json::array();
  for (const nmt::MarkedPart& part : translation)
    parts.push_back(part.mark < 0 ? json(part.text) : json(part.mark));
  return line_of({{"parts", std::move(parts)}});
}

nmt::MarkedText segment_in(std::string_view line) {
  return read_line(line, [](const json& object) {
    nmt::MarkedText segment{.text = object.at("text"), .marks = {}};
    for (const json& mark : object.value("marks", json::array())) {
      add_mark(mark.at(1), segment);
      segment.marks.back().at = mark.at(0);
    }
    return segment;
  });
}

Translation translation_in(std::string_view line) {
  return read_line(line, [](const json& object) {
    Translation translation;
    for (const json& part : object.at("parts")) {
      if (part.is_string())
        translation.push_back({.text = part});
      else
        translation.push_back({.is_markup = true, .mark = part});
    }
    return translation;
  });
}

}  // namespace dietmt::service
