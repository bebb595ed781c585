// XLIFF 1.2 and 2, and what Trados (SDLXLIFF), Phrase (MXLIFF) and memoQ (MQXLIFF) add to 1.2:
// which segments are locked or confirmed.
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "common/error.h"
#include "service/documents/bilingual_document.h"
#include "service/documents/document_kinds.h"
#include "service/documents/language_marks.h"

namespace dietmt::service {
namespace {

// Whether an untranslated part of a text contains translated text.
bool has_translated(const xmlNode* element) {
  for (const xmlNode* child = element->children; child != nullptr; child = child->next)
    if (child->type == XML_ELEMENT_NODE && (is_translated(child, false) || has_translated(child)))
      return true;
  return false;
}

class XliffDocument final : public BilingualDocument {
 public:
  XliffDocument(std::string_view bytes, const DocumentOptions& options,
                const DocumentLimits& limits)
      : BilingualDocument(bytes, options, limits) {
    if (element_name(root()) != "xliff")
      throw DataError("the file is not XLIFF: its root is not <xliff>");
    is_first_version_ = attribute(root(), "version").starts_with("1");
    if (!is_first_version_) set_languages(root(), "srcLang", "trgLang");
    add_units(root(), true);
    finish();
  }

 private:
  bool keeps_lines(const xmlNode* element) const override {
    return xmlNodeGetSpacePreserve(element) == 1;
  }

  // Elements inherit whether they are translated.
  void add_units(xmlNode* element, bool is_around) {
    const bool translates = is_translated(element, is_around);
    const std::string_view name = element_name(element);
    if (is_first_version_ && name == "file")
      set_languages(element, "source-language", "target-language");
    if (name == "trans-unit" || name == "segment") return add_unit(element, translates);
    for (xmlNode* child = element->children; child != nullptr; child = child->next)
      if (child->type == XML_ELEMENT_NODE) add_units(child, translates);
  }

  // Refuses files for another language pair.
  void set_languages(xmlNode* element, const char* source, const char* target) const {
    check_language(element, source, options().source, "from");
    check_language(element, target, options().target, "to");
    if (attribute(element, target).empty())
      set_attribute(element, target, xml_language(options().target), nullptr);
  }

  static void check_language(const xmlNode* element, const char* name, const std::string& wanted,
                             const char* direction) {
    const std::string code = attribute(element, name);
    if (code.empty() || is_same_language(code, wanted)) return;
    throw DataError("line " + std::to_string(xmlGetLineNo(element)) + ": " + name + " is '" + code +
                    "', but the request translates " + direction + " '" + wanted + "'");
  }

  void add_unit(xmlNode* unit, bool translates) {
    xmlNode* const source = child_named(unit, "source");
    xmlNode* const old_target = child_named(unit, "target");
    if (source == nullptr || is_final(unit) || stays(source)) return;
    xmlNode* const sentences = child_named(unit, "seg-source");
    const std::vector<xmlNode*> parts = segments_in(sentences);
    if (!parts.empty() && old_target != nullptr && !segments_in(old_target).empty())
      return fill_segments(unit, parts, old_target, translates);
    if (!is_untranslated(unit, old_target, source, old_target)) return;
    if (!translates && !has_translated(source)) return;
    xmlNode* const target = copied(parts.empty() ? source : sentences, Copy::kWhole);
    xmlNodeSetName(target, BAD_CAST "target");
    set_language(target);
    xmlAddNextSibling(sentences != nullptr ? sentences : source, target);
    drop_repeated_namespaces(target);
    if (old_target != nullptr) {
      for (const xmlAttr* one = old_target->properties; one != nullptr; one = one->next)
        xmlSetNsProp(target, one->ns, one->name,
                     BAD_CAST content_of(reinterpret_cast<const xmlNode*>(one)).c_str());
      xmlReconciliateNs(target->doc, target);  // the old target may declare the namespace
      discard(old_target);
    }
    set_state(unit, target);
    if (parts.empty()) return add_text(target, translates);
    const Definitions definitions = definitions_of(unit);
    for (xmlNode* const segment : segments_in(target)) {
      xmlNode* const definition = definition_of(segment, definitions);
      if (is_final(definition))
        while (segment->children != nullptr) discard(segment->children);
      else
        add_segment_text(segment, definition, translates);
    }
  }

  // Fills the blank segments of a target; each has the number of its source.
  void fill_segments(xmlNode* unit, const std::vector<xmlNode*>& sources, xmlNode* target,
                     bool translates) {
    const Definitions definitions = definitions_of(unit);
    std::map<std::string, xmlNode*> old;
    for (xmlNode* const segment : segments_in(target)) old[attribute(segment, "mid")] = segment;
    bool is_changed = false;
    for (const xmlNode* const source : sources) {
      const auto found = old.find(attribute(source, "mid"));
      xmlNode* const definition = definition_of(source, definitions);
      if (found == old.end() || is_final(definition) ||
          !is_untranslated(definition, target, source, found->second))
        continue;
      xmlNode* const segment = copied(source, Copy::kWhole);
      replace(found->second, segment);
      old.erase(found);
      add_segment_text(segment, definition, translates);
      is_changed = true;
    }
    if (is_changed) set_state(unit, target);
  }

  void add_segment_text(xmlNode* segment, xmlNode* definition, bool translates) {
    add_text(segment, is_translated(segment, translates));
    if (definition == nullptr) return;
    set_attribute(definition, "conf", "Draft", nullptr);
    set_attribute(definition, "origin", "mt", nullptr);
  }

  // What Trados says about the segments of a unit, by their numbers.
  using Definitions = std::map<std::string, xmlNode*>;

  static Definitions definitions_of(const xmlNode* unit) {
    Definitions definitions;
    const xmlNode* const all = child_named(unit, "seg-defs");
    if (all == nullptr) return definitions;
    for (xmlNode* child = all->children; child != nullptr; child = child->next)
      if (element_name(child) == "seg") definitions[attribute(child, "id")] = child;
    return definitions;
  }

  static xmlNode* definition_of(const xmlNode* segment, const Definitions& definitions) {
    const auto found = definitions.find(attribute(segment, "mid"));
    return found == definitions.end() ? nullptr : found->second;
  }

  // Whether a unit of Phrase or memoQ, or a segment's definition in Trados, is locked or confirmed.
  static bool is_final(const xmlNode* element) {
    constexpr std::array<std::string_view, 4> kOpen = {"", "0", "false", "no"};
    constexpr std::array<std::string_view, 4> kDrafts = {"", "Draft", "RejectedTranslation",
                                                         "RejectedSignOff"};
    if (element == nullptr) return false;
    const std::string status = attribute(element, "status");  // ManuallyConfirmed and others
    return !is_among(attribute(element, "locked"), kOpen) ||
           !is_among(attribute(element, "confirmed"), kOpen) ||
           !is_among(attribute(element, "conf"), kDrafts) ||
           status.find("Confirmed") != status.npos || status == "Proofread";
  }

  // Whether the target is missing, blank, or the source in a state that calls for a translation.
  // The state is that of `owner` or of `state`.
  static bool is_untranslated(const xmlNode* owner, const xmlNode* state, const xmlNode* source,
                              const xmlNode* target) {
    constexpr std::array<std::string_view, 3> kStates = {"new", "needs-translation", "initial"};
    if (target == nullptr || is_blank(target)) return true;
    const bool is_new =
        owner != nullptr && (is_among(attribute(owner, "state"), kStates) ||
                             attribute(owner, "status") == "NotStarted" ||
                             (element_name(owner) == "seg" && attribute(owner, "conf").empty()));
    return (is_new || is_among(attribute(state, "state"), kStates)) &&
           content_of(target) == content_of(source);
  }

  // The limit of a unit in characters; 0 without one. Other units of size need the font.
  static size_t most_characters(const xmlNode* unit) {
    size_t most = 0;
    const std::string value = attribute(unit, "maxwidth");
    if (attribute(unit, "size-unit") == "char")
      std::from_chars(value.data(), value.data() + value.size(), most);
    return most;
  }

  void check_targets() override {
    for (const xmlNode* const unit : changed_) {
      xmlNode* const target = child_named(unit, "target");
      const size_t most = most_characters(unit);
      if (most == 0 || length_of(target) <= most) continue;
      set_attribute(target, "state", "needs-review-translation", nullptr);
      set_attribute(target, "state-qualifier", "rejected-length", nullptr);
    }
  }

  // The state is that of a target in the first version, and of a segment in the second one. Phrase
  // and memoQ have their own marks at the unit.
  void set_state(xmlNode* unit, xmlNode* target) {
    const auto change = [](xmlNode* owner, const char* name, const char* value) {
      if (attribute_node(owner, name) != nullptr) set_attribute(owner, name, value, nullptr);
    };
    if (!is_first_version_) return change(unit, "state", "translated");
    changed_.push_back(unit);
    change(target, "state", "needs-review-translation");
    change(unit, "confirmed", "0");
    change(unit, "trans-origin", "mt");
    change(unit, "status", "PartiallyEdited");
  }

  static bool is_segment(const xmlNode* node) {
    return element_name(node) == "mrk" && attribute(node, "mtype") == "seg";
  }

  // The sentences that a tool has found.
  static std::vector<xmlNode*> segments_in(xmlNode* element) {
    std::vector<xmlNode*> segments;
    if (element == nullptr) return segments;
    walk(element, [&](xmlNode* node) {
      if (is_segment(node)) segments.push_back(node);
      return !is_segment(node);
    });
    return segments;
  }

  bool is_first_version_ = false;
  std::vector<const xmlNode*> changed_;  // units of the first version
};

}  // namespace

std::unique_ptr<Document> open_xliff(std::string_view bytes, const DocumentOptions& options,
                                     const DocumentLimits& limits) {
  return std::make_unique<XliffDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
