#include <fmt/format.h>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/scheme/position_spec.h"

namespace dietmt::encoders {
namespace {

const char* site_name(AttentionSite site) {
  switch (site) {
    case AttentionSite::kEncoder:
      return "encoder";
    case AttentionSite::kDecoder:
      return "decoder";
    case AttentionSite::kCross:
      break;
  }
  return "cross-attention";
}

std::string sites(const EncodingRow& row) {
  std::string names;
  for (const AttentionSite site :
       {AttentionSite::kEncoder, AttentionSite::kDecoder, AttentionSite::kCross})
    if (row.sites.contains(site))
      names += (names.empty() ? "" : ", ") + std::string(site_name(site));
  return names;
}

std::string level(const EncodingRow& row) {
  switch (row.level) {
    case EncodingLevel::kInput:
      return "the embeddings";
    case EncodingLevel::kAllHeads:
      return "all heads, whatever encoding owns them";
    case EncodingLevel::kHeads:
      break;
  }
  return row.not_mixed.empty() ? "all or some of the heads" : "all heads";
}

/// "encoder 36828, decoder 36828", or why such a model cannot have the encoding.
std::string parameters(const EncodingRow& row, const std::vector<EncodingContext>& contexts) {
  std::string text;
  for (const EncodingContext& context : contexts) {
    if (!row.sites.contains(context.site)) continue;
    if (!text.empty()) text += ", ";
    text += site_name(context.site);
    try {
      const OptionValues defaults(row.options);
      row.check(defaults, context);
      text += fmt::format(" {:.0f}", row.parameters(defaults, context));
    } catch (const ConfigError& error) {
      text += std::string(": ") + error.what();
    }
  }
  return text;
}

std::string describe(const EncodingOption& option) {
  return option.name + "=" + option.default_value + "  (" + option.possible() + ") " +
         option.meaning;
}

}  // namespace

std::string position_help(const std::vector<EncodingContext>& contexts) {
  std::string help =
      "Position encodings. Name one, or join several with '+': any number that act on the "
      "embeddings,\n"
      "and at most one for each head, e.g. learned+heads[diet-rel:0-5,shaw(clip=16):6-7]. Options "
      "go in\n"
      "parentheses: diet-rel(share=layers). i and j are the positions of query and key, h is the "
      "head,\n"
      "Dh is the head dimension.\n";
  for (const EncodingRow& row : encoding_table()) {
    help += "\n  " + row.name + "\n      " + row.formula + "\n      acts on " + level(row) +
            "; in: " + sites(row) + "\n";
    if (const std::string counts = parameters(row, contexts); !counts.empty())
      help += "      parameters: " + counts + "\n";
    for (const EncodingOption& option : row.options) help += "      " + describe(option) + "\n";
  }
  return help;
}

}  // namespace dietmt::encoders
